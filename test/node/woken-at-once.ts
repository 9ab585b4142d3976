/** Many entities with many events that are all called in the same moment, on a real store. */
import { expect } from 'vitest'
import { CallError, defineEntity } from '../../src/entity/index.ts'
import { LmdbJournal } from '../../src/persistence/index.ts'
import { nodeFor, temporaryFolder } from './nodes.ts'

const Book = defineEntity('Book', {
  state: () => ({ lines: 0 }),
  events: { Written: (state) => ({ lines: state.lines + 1 }) },
  commands: {
    write: (self, count: number) => {
      for (let line = 0; line < count; line++) self.persist('Written')
      return self.state.lines
    },
    lines: (self) => self.state.lines,
  },
})

/** What one command may store. */
const linesMax = 250

interface Many {
  readonly entities: number
  readonly events: number
}

/**
 * All of them rest as soon as they may, so that recoveries outlast that by far. Every call has an answer, or an error that
 * says why not, within its time; none of them because its entity went to rest.
 */
export async function wakeAtOnce({ entities, events }: Many): Promise<void> {
  const folder = temporaryFolder()
  const ids = Array.from({ length: entities }, (_, number) => `book ${number}`)
  const journal = await LmdbJournal.open({ folder })
  const before = await nodeFor({ entities: [Book], store: journal })
  for (let from = 0; from < ids.length; from += linesMax) {
    const write = async (id: string): Promise<void> => {
      for (let written = 0; written < events; written += linesMax) {
        await before.entity(Book, id).write(Math.min(linesMax, events - written))
      }
    }
    await Promise.all(ids.slice(from, from + linesMax).map(write))
  }
  await before.stop()
  const settings = { sharding: { passivateIdleAfterMs: 200 } }
  const node = await nodeFor({ entities: [Book], store: journal, settings })
  const calls = ids.map((id) => node.entity(Book, id, { timeout: '60s' }).lines())
  const outcomes = await Promise.allSettled(calls)
  const answers = new Map<unknown, number>()
  for (const outcome of outcomes) {
    const answer = outcome.status === 'fulfilled' ? outcome.value : codeOf(outcome.reason)
    answers.set(answer, (answers.get(answer) ?? 0) + 1)
  }
  // A slow machine may need longer, and then says so.
  answers.delete('CALL_TIMEOUT')
  expect([...answers.keys()]).toEqual([events])
  await node.stop()
  await journal.close()
}

function codeOf(reason: unknown): string {
  return reason instanceof CallError ? reason.code : String(reason)
}
