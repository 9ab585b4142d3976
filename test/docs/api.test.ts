import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { apiPages } from '../../scripts/api/pages.ts'
import { apiFolder, type PublicSurface, publicSurface } from '../../scripts/api/public-surface.ts'
import type { PublicName } from '../../scripts/api/surface.ts'

/** What users hand on and never look into: `PoisonPill` is one. */
const opaque: readonly string[] = ['actor/cell/envelope.d.ts#Envelope']

let built: PublicSurface

beforeAll(async () => {
  built = await publicSurface('api-test')
})

test('the API is written down as it is', async () => {
  const pages = await apiPages(built.surface, built.exports)
  const names = new Set([...pages.keys(), ...readdirSync(apiFolder)])
  const written = (name: string): string | undefined => {
    const path = join(apiFolder, name)
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined
  }
  const changed = [...names].filter((name) => written(name) !== pages.get(name))
  const advice = 'is not what the source gives: run `npm run api`, and look at the diff'
  expect(changed.map((name) => `docs/api/${name} ${advice}`)).toEqual([])
})

test('every type that a public declaration speaks of can be imported', () => {
  const { surface, exports } = built
  const names = exports.flatMap(({ types }) => surface.namesOf(types))
  const inside = names.flatMap(({ origin, isNamespace }) =>
    isNamespace ? surface.namesOf(origin) : [],
  )
  const known = new Set([...opaque, ...[...names, ...inside].map(({ origin }) => origin)])
  const lacking = [...names, ...inside].flatMap((name) =>
    surface
      .mentions(name)
      .filter((origin) => !known.has(origin))
      .map((origin) => `${name.name} speaks of ${origin}`),
  )
  expect(lacking).toEqual([])
})

test.for(['sherd/actor', 'sherd/lease', 'sherd/testkit', 'sherd/simulation'])(
  'every name of %s has a comment that an editor shows',
  (specifier) => {
    const { types = '' } = built.exports.find((each) => each.specifier === specifier) ?? {}
    const names = built.surface.namesOf(types)
    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((name) => !isExplained(name)).map(({ name }) => name)).toEqual([])
  },
)

function isExplained({ isNamespace, declarations }: PublicName): boolean {
  const explained = declarations.filter(({ comment }) => comment !== '')
  return isNamespace ? explained.length > 10 : explained.includes(declarations[0]!)
}
