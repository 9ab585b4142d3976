/** The page for those who come from Akka: every name of ours on it exists, and every setting of ours stands there. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { formerNames, shardingSettingsTable } from '../../src/sharding/internals.ts'
import { singletonSettingsTable } from '../../src/singleton/internals.ts'
import { root } from './reader.ts'

const page = readFileSync(join(root, 'docs/guide/19-coming-from-akka.md'), 'utf8')

interface Row {
  readonly section: string
  readonly cells: readonly string[]
}

/** The lines of all tables, without their heads. */
const rows: readonly Row[] = page.split(/^## /m).flatMap((text) => {
  const [section = '', ...lines] = text.split('\n')
  const table = lines.filter((line) => line.startsWith('| '))
  return table.slice(1).map((line) => ({ section, cells: cellsOf(line) }))
})

function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim())
}

/** In which column our names stand. */
const oursOf = ({ section, cells }: Row): string => cells[section === 'Older names' ? 2 : 1] ?? ''

const spansIn = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span)

/** Names in code, but for what stands in quotes and types that stand for any. */
function namesIn(text: string): string[] {
  const code = spansIn(text)
    .join(' ; ')
    .replaceAll(/'[^']*'/g, '')
  return [...code.matchAll(/[A-Za-z]\w+/g)].map(([name]) => name).filter((name) => name !== 'new')
}

/** What the rooms that users meet declare: exports, and members of what they export. */
const declared = new Set(
  ['actor', 'entity', 'node', 'persistence', 'sharding', 'simulation', 'testkit'].flatMap((room) =>
    readdirSync(join(root, 'src', room), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .flatMap((file) => declaredIn(readFileSync(join(root, 'src', room, file), 'utf8'))),
  ),
)

function declaredIn(code: string): string[] {
  const exported = code.matchAll(
    /^export (?:abstract |async )?(?:class|interface|function|const|type) (\w+)/gm,
  )
  const members = code.matchAll(
    /^ {2,8}\|? ?(?:\{ )?(?:readonly |static |get |async )*(\w+)\??(?:<[^(]*>)?[(:]/gm,
  )
  return [...exported, ...members].map(([, name = '']) => name)
}

const settings = { ...singletonSettingsTable.settings, ...shardingSettingsTable.settings }

/** What a person says to a terminal, or reads in an error. */
const otherNames: ReadonlySet<string> = new Set([
  ...['sherd', 'remove', 'data', 'Behaviors', 'NOT_THERE_YET', 'cluster', 'shutdown', 'region'],
])
const exists = (name: string): boolean =>
  declared.has(name) || name in settings || otherNames.has(name)

describe('the page for those who come from Akka', () => {
  test('has tables of all it promises', () => {
    const counts = new Map<string, number>()
    for (const { section } of rows) counts.set(section, (counts.get(section) ?? 0) + 1)
    expect([...counts.keys()]).toEqual([
      ...['In short', 'What it does', 'Functions and messages'],
      ...['Settings', 'Passivation', 'Older names'],
    ])
    expect(rows.length).toBeGreaterThan(120)
    expect(rows.filter(({ cells }) => ![2, 3].includes(cells.length))).toEqual([])
  })

  test('names nothing of ours that is not there', () => {
    const missing = rows.flatMap((row) =>
      namesIn(oursOf(row))
        .filter((name) => !exists(name))
        .map((name) => `${row.section}: ${row.cells[0]}: ${name}`),
    )
    expect(missing).toEqual([])
  })

  test('has every setting of sharding, with the default that it has', () => {
    const text = rows.map(oursOf).join('\n')
    const untold = Object.keys(shardingSettingsTable.settings).filter(
      (name) => !text.includes(`\`${name}\``),
    )
    expect(untold).toEqual([])
    const wrong = rows.flatMap((row) => wrongDefaultsIn(oursOf(row)))
    expect(wrong).toEqual([])
  })

  test('has every name that we answer for when it is given by mistake', () => {
    const theirs = rows.map(({ cells }) => cells.join(' ')).join('\n')
    const kebab = [...formerNames.keys()].filter((name) => !/[A-Z]/.test(name))
    expect(kebab.length).toBeGreaterThan(20)
    expect(kebab.filter((name) => !theirs.includes(name))).toEqual([])
  })
})

test('what we say of such a name names only what is there', () => {
  const missing = [...formerNames].flatMap(([former, words]) =>
    namesIn(words)
      .filter((name) => !exists(name))
      .map((name) => `${former}: ${name}`),
  )
  expect(missing).toEqual([])
})

/** Of `name` 5 s, `name` 10,000, `name` Infinity. */
function wrongDefaultsIn(text: string): string[] {
  return [...text.matchAll(/`(\w+)` (Infinity|[\d,.]+(?: ms| s| min)?)/g)].flatMap(
    ([whole, name = '', value = '']) => {
      const row = name in settings ? settings[name as keyof typeof settings] : undefined
      return row === undefined || row.default === valueOf(value) ? [] : [whole]
    },
  )
}

function valueOf(text: string): number {
  const [figure = '', unit = 'ms'] = text.replaceAll(',', '').split(' ')
  const factors: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000 }
  return Number(figure) * (factors[unit] ?? NaN)
}
