import { expect, test } from 'vitest'
import {
  count,
  flag,
  listOf,
  milliseconds,
  millisecondsOr,
  number,
  optionalText,
  perName,
  section,
  share,
} from './setting-kinds.ts'
import { SettingsTable } from './settings-table.ts'

interface Lamp {
  readonly watts: number
  readonly isOn: boolean
}

interface House {
  readonly lamp: Lamp
  readonly restMs: number
  readonly wakeMs: number | 'at-dawn'
  readonly name: string | undefined
  readonly guests: readonly string[]
  readonly bedsByRoom: Readonly<Record<string, number>>
  readonly hope: number
  readonly part: number
}

const lamps = new SettingsTable<Lamp>(
  { watts: count(40, 'watts', { max: 1_000, mayBeInfinity: true }), isOn: flag(false) },
  ['{watts} must be less than {the power of the fuse}, or it is dark'],
)

const houses = new SettingsTable<House>(
  {
    lamp: section(lamps),
    restMs: milliseconds(100, { mayBeInfinity: true }),
    wakeMs: millisecondsOr('at-dawn'),
    name: optionalText('a name'),
    guests: listOf([], 'a name such as ada', (given) => /^[a-z]+$/.test(String(given))),
    bedsByRoom: perName('room', count(1, 'beds', { min: 0 })),
    hope: number(Infinity, 'a positive number', (value) => value > 0),
    part: share(1),
  },
  ['{restMs} must be at least {the heat}, which follows from lamp.watts, or it burns'],
  ({ lamp }) => ({ 'the heat': lamp.watts / 10 }),
)

const strong = { 'the power of the fuse': 2_000 }
const problems = (chosen: unknown, supply = strong): string[] =>
  houses.problemsWith(houses.complete(chosen), supply)

test('what was not chosen has its default, also within a section', () => {
  expect(houses.complete(undefined)).toBe(houses.defaults)
  expect(houses.complete({ lamp: { isOn: true }, part: 0.5 })).toEqual({
    ...houses.defaults,
    lamp: { watts: 40, isOn: true },
    part: 0.5,
  })
  expect(problems({})).toEqual([])
})

test('the ends of every range are in it', () => {
  const most = { watts: Infinity, isOn: true }
  expect(problems({ lamp: most }, { 'the power of the fuse': Infinity })).toHaveLength(2)
  const good = { restMs: Infinity, wakeMs: 1, name: 'x', guests: ['ada'], bedsByRoom: { hall: 0 } }
  expect(problems({ ...good, lamp: { watts: 1_000 }, hope: 0.1, part: 0.1 })).toEqual([])
})

test('every value out of range is told at once, with its path and what it must be', () => {
  expect(
    problems({
      lamp: { watts: 1_001, isOn: 'yes' },
      restMs: 0,
      wakeMs: Infinity,
      name: '',
      guests: ['ada', 'B', 5],
      bedsByRoom: { hall: 1.5 },
      hope: NaN,
      part: 0,
    }),
  ).toEqual([
    'lamp.watts must be a whole number from 1 to 1000, or Infinity, not 1001',
    "lamp.isOn must be true or false, not 'yes'",
    'restMs must be a positive number of milliseconds, or Infinity, not 0',
    "wakeMs must be a positive number of milliseconds, or 'at-dawn', not Infinity",
    "name must be a name, or undefined, not ''",
    "guests: 'B' must be a name such as ada",
    'guests: 5 must be a name such as ada',
    'bedsByRoom.hall must be a whole number of at least 0, not 1.5',
    'hope must be a positive number, not NaN',
    'part must be above 0 and at most 1, not 0',
  ])
})

test('what has no form is told by its name, and a number is not a text', () => {
  expect(problems({ lamp: 5, guests: 'ada', bedsByRoom: [], part: '1', restMs: '5' })).toEqual([
    'lamp must be an object, not 5',
    "restMs must be a positive number of milliseconds, or Infinity, not '5'",
    "guests must be a list, each a name such as ada, not 'ada'",
    'bedsByRoom must be an object with, per room, a whole number of at least 0, not []',
    "part must be above 0 and at most 1, not '1'",
  ])
  for (const formless of [null, 5, []]) {
    expect(problems(formless)).toEqual([expect.stringMatching(/^settings must be an object, not /)])
  }
})

test('names that nobody knows are told with those there are', () => {
  expect(problems({ lamp: { volts: 5 }, color: 'red' })).toEqual([
    'color is not a setting; known: lamp, restMs, wakeMs, name, guests, bedsByRoom, hope, part',
    'lamp.volts is not a setting; known: watts, isOn',
  ])
})

test('every broken relation is told, with the values of all it names', () => {
  const heat =
    'restMs (1) must be at least the heat (90), which follows from lamp.watts, or it burns'
  const chosen = { lamp: { watts: 900 }, restMs: 1 }
  expect(problems(chosen, { 'the power of the fuse': 900 })).toEqual([
    'lamp.watts (900) must be less than the power of the fuse (900), or it is dark',
    heat,
  ])
  expect(problems(chosen)).toEqual([heat])
})

test('no relation is told of a value that is out of range, and figures follow from its default', () => {
  expect(problems({ restMs: 0 })).toHaveLength(1)
  expect(problems({ lamp: { watts: 0 } }, { 'the power of the fuse': 0 })).toHaveLength(1)
  for (const lamp of ['bright', null, 5, { watts: NaN }]) {
    expect(problems({ lamp, restMs: 5 })).toHaveLength(1)
    expect(problems({ lamp, restMs: 3 })).toEqual([
      expect.any(String),
      expect.stringContaining('restMs (3) must be at least the heat (4)'),
    ])
  }
})

test('two values are compared as the sentence says', () => {
  const brokenWith = (sentence: string, left: number, right: number): boolean => {
    const table = new SettingsTable({ left: count(1, 'x'), right: count(1, 'x') }, [sentence])
    return table.problemsWith({ left, right }, { more: 10 }).length > 0
  }
  const sentences: readonly (readonly [
    string,
    readonly [number, number],
    readonly [number, number],
  ])[] = [
    ['{left} must be less than {right}', [2, 3], [3, 3]],
    ['{left} must be at most {right}', [3, 3], [4, 3]],
    ['{left} must be at least {right}', [3, 3], [2, 3]],
    ['{left} must be at most half of {right}', [3, 6], [4, 6]],
    ['{left} must be at least twice {right}', [6, 3], [5, 3]],
    ['{left} and {more} together must be less than {right}', [2, 13], [3, 13]],
  ]
  for (const [sentence, well, broken] of sentences) {
    expect([sentence, brokenWith(sentence, ...well)]).toEqual([sentence, false])
    expect([sentence, brokenWith(sentence, ...broken)]).toEqual([sentence, true])
  }
})

test('a sentence that cannot be checked is a mistake of ours', () => {
  const problemsOf = (sentence: string) => () =>
    new SettingsTable({ left: count(1, 'x') }, [sentence]).problemsWith({ left: 1 })
  expect(problemsOf('{left} should be less than {left}')).toThrow('no relation')
  expect(problemsOf('{left} must be less than {right}')).toThrow('neither a setting nor a figure')
})

test('a table with other defaults has the same ranges and relations', () => {
  const dim = lamps.withDefaults({ watts: 5 })
  expect(dim.defaults).toEqual({ watts: 5, isOn: false })
  expect(dim.problemsWith({ watts: 0, isOn: true }, strong)).toHaveLength(1)
  expect(dim.relations).toBe(lamps.relations)
})

test('a table has all that a reference of settings prints', () => {
  const { watts } = lamps.settings
  expect(watts).toMatchObject({
    default: 40,
    unit: 'watts',
    range: 'a whole number from 1 to 1000, or Infinity',
  })
  expect(houses.settings.lamp.table).toBe(lamps)
  expect(houses.settings.restMs.unit).toBe('ms')
})
