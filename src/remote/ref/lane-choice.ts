/**
 * Which lane a recipient is spoken to on. Looked up when its ref is made, never per message: so all that is sent to one
 * recipient goes by one lane, and keeps its order.
 */
import type { Lane } from '../lane.ts'

/** Recipients that are not spoken to on the data lane. */
export interface LanePaths {
  readonly controlPaths: readonly string[]
  readonly largeMessagePaths: readonly string[]
}

export class LaneChoice {
  readonly #control: Set<string>
  readonly #large: readonly (readonly string[])[]

  constructor({ controlPaths, largeMessagePaths }: LanePaths) {
    this.#control = new Set(controlPaths.map((path) => `${path}/`))
    this.#large = largeMessagePaths.map(elementsOf)
  }

  /** Whatever is under `path` is spoken to on the control lane, by refs that are made from now on. */
  addControl(path: string): void {
    this.#control.add(`${path}/`)
  }

  /** Names as they stand in a path. Control wins where both are set: what must not wait stays first. */
  laneOf(names: readonly string[]): Lane {
    const path = `/${names.join('/')}/`
    for (const begin of this.#control) if (path.startsWith(begin)) return 'control'
    return this.#large.some((pattern) => matches(pattern, names)) ? 'large' : 'data'
  }
}

/**
 * Paths below `/user`, with `*` for one name and `**` at the end for one or more. Actors of the runtime are left out:
 * what they send each other counts on one lane for all of it, to keep its order.
 */
export function isLargeMessagePath(path: unknown): boolean {
  if (typeof path !== 'string' || !path.startsWith('/user/')) return false
  const elements = elementsOf(path)
  return elements.every((element, index) => {
    const isLast = index === elements.length - 1
    return /^[^\s#*]+$/.test(element) || element === '*' || (element === '**' && isLast)
  })
}

function elementsOf(path: string): readonly string[] {
  return path.slice(1).split('/')
}

function matches(pattern: readonly string[], names: readonly string[]): boolean {
  const isDeep = pattern.at(-1) === '**'
  if (isDeep ? names.length < pattern.length : names.length !== pattern.length) return false
  const fixed = isDeep ? pattern.length - 1 : pattern.length
  return pattern
    .slice(0, fixed)
    .every((element, index) => element === '*' || element === names[index])
}
