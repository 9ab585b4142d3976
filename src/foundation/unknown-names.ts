/**
 * Names that nobody knows where they were given. Mostly a slip of the pen, or an option in the wrong place, and what was
 * meant would keep its default: so it is said what was meant.
 */
import type { AnyTable, Setting } from './settings-table.ts'

/** Where names belong that are known elsewhere: what to say after the name, such as "belongs in settings.actor". */
export type NamePlaces = ReadonlyMap<string, string>

const nowhereElse: ReadonlyMap<string, string> = new Map()

/** Of every name in `given` that is not in `known`. `path` goes before each. */
export function unknownSettings(
  given: object,
  known: object,
  kind = 'a setting',
  path = '',
  places = nowhereElse,
): string[] {
  const names = Object.keys(known)
  return Object.keys(given)
    .filter((name) => !Object.hasOwn(known, name))
    .map((name) => {
      const near = nearest(name, names)
      const meant = near === undefined ? '' : `; did you mean \`${path}${near}\`?`
      const place = places.get(name)
      if (place !== undefined) return `\`${path}${name}\` ${place}${meant}`
      if (near !== undefined) return `\`${path}${name}\` is not ${kind}${meant}`
      const elsewhere = nearest(name, [...places.keys()])
      return elsewhere === undefined
        ? `${path}${name} is not ${kind}; known: ${names.join(', ')}`
        : `\`${path}${name}\` is not ${kind}; did you mean \`${elsewhere}\`, which ${places.get(elsewhere)}?`
    })
}

/** The places of all settings of a table, by their names. `path` is what the table itself is called. */
export function placesOfSettings({ settings }: AnyTable, path: string): NamePlaces {
  const places = new Map<string, string>()
  const walk = (rows: object, within: string): void => {
    for (const [name, { table }] of Object.entries(rows) as [string, Setting<unknown>][]) {
      const before = places.get(name)
      places.set(name, before === undefined ? `belongs in ${within}` : `${before} or ${within}`)
      if (table !== undefined) walk(table.settings, `${within}.${name}`)
    }
  }
  walk(settings, path)
  return places
}

/** Of those known, the one that is most like it; undefined when none is. */
function nearest(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined
  // Short names are all alike.
  let least = Math.min(2, Math.floor(name.length / 3)) + 1
  for (const each of known) {
    const distance = distanceOf(plain(name), plain(each))
    if (distance >= least) continue
    best = each
    least = distance
  }
  return best
}

/** Without what people leave out or write in another way. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '').replace(/ms$/, '')
}

/** How many letters must be put in, taken out or exchanged, neighbours that have changed places counting once. */
function distanceOf(one: string, other: string): number {
  let beforeLast: readonly number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const line = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      let least = Math.min(
        line[column - 1]! + 1,
        last[column]! + 1,
        last[column - 1]! + (isSame ? 0 : 1),
      )
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      if (row > 1 && column > 1 && isSwapped) least = Math.min(least, beforeLast[column - 2]! + 1)
      line.push(least)
    }
    beforeLast = last
    last = line
  }
  return last[other.length]!
}
