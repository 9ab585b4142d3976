/** Any sequence of claims, appends and reopenings does to a journal what it does to a map of lists. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { appendText, globalTexts, type Opened, readTexts } from './journal-words.ts'

type Step =
  | { readonly type: 'claim'; readonly id: number }
  | {
      readonly type: 'append'
      readonly id: number
      readonly lag: number
      readonly off: number
      readonly count: number
    }
  | { readonly type: 'reopen' }

interface Expected {
  epoch: number
  readonly texts: string[]
}

const id = fc.nat({ max: 3 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('claim' as const), id }) },
  {
    weight: 10,
    arbitrary: fc.record({
      type: fc.constant('append' as const),
      id,
      lag: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.nat({ max: 2 })),
      off: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: -2, max: 2 })),
      count: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 30, max: 34 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reopen' as const) }) },
)

export function journalModel({ journal, reopen }: Opened): void {
  let runs = 0

  test('does what a map of lists would do', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const run = `${++runs}`
        const model = new Map<string, Expected>()
        const logBefore = (await globalTexts(journal())).length
        const log: string[] = []
        for (const [index, one] of steps.entries()) {
          if (one.type === 'reopen') await reopen()
          else await take(one, `${run}-${one.id}`, `${index}`, model, log)
        }
        for (const [name, { texts }] of model) {
          expect(await readTexts(journal(), name)).toEqual(texts)
          expect(await journal().highestSequenceNr(name)).toBe(texts.length)
        }
        expect((await globalTexts(journal())).slice(logBefore)).toEqual(log)
      }),
      { numRuns: 40 },
    )
  })

  async function take(
    one: Exclude<Step, { type: 'reopen' }>,
    name: string,
    text: string,
    model: Map<string, Expected>,
    log: string[],
  ): Promise<void> {
    const known = model.get(name) ?? { epoch: 0, texts: [] }
    model.set(name, known)
    if (one.type === 'claim') {
      const highestSequenceNr = known.texts.length
      expect(await journal().claim(name, 'w')).toEqual({ epoch: ++known.epoch, highestSequenceNr })
      return
    }
    const epoch = known.epoch - one.lag
    const after = known.texts.length + one.off
    if (epoch < 1 || after < 0) return
    const texts = Array.from({ length: one.count }, (_, i) => `${text}.${i}`)
    const { type } = await appendText(journal(), { id: name, epoch, after }, ...texts)
    if (one.lag > 0) expect(type).toBe('Fenced')
    else if (one.off !== 0) expect(type).toBe('SequenceConflict')
    else {
      expect(type).toBe('Appended')
      known.texts.push(...texts)
      log.push(...texts.map((each) => `${name}:${each}`))
    }
  }
}
