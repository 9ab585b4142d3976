import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ActorRef, ActorSystem } from '../actor/index.ts'
import {
  type AppendBatch,
  type AppendResult,
  Effect,
  EventSourcedBehavior,
  type Journal,
  LmdbJournal,
} from './index.ts'
import { toldAppendsOf } from './told-appends.ts'

interface Add {
  readonly item: string
  readonly replyTo: ActorRef<string>
}

let folder = ''
let journal: LmdbJournal
let system: ActorSystem

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sherd-told-'))
  journal = await LmdbJournal.open({ folder })
  system = new ActorSystem('told', { settings: { hookSignals: false } })
})

afterEach(async () => {
  await system.terminate()
  await journal.close()
  rmSync(folder, { recursive: true })
})

const list = (on: Journal): ActorRef<Add> =>
  system.spawn(
    EventSourcedBehavior<Add, string, string>({
      persistenceId: 'List|1',
      emptyState: '',
      commandHandler: (_, { item, replyTo }) =>
        Effect.persist<string, string>(item).thenReply(replyTo, (all) => all),
      eventHandler: (all, item) => all + item,
      journal: on,
    }),
  )

/** Counts the calls of `append` that come by. */
function counted(): { readonly passed: AppendBatch[]; readonly proxy: Journal } {
  const passed: AppendBatch[] = []
  const append = (batch: AppendBatch): Promise<AppendResult> => {
    passed.push(batch)
    return journal.append(batch)
  }
  const get = (target: LmdbJournal, name: string | symbol): unknown => {
    if (name === 'append') return append
    const value: unknown = Reflect.get(target, name, target)
    return typeof value === 'function' ? value.bind(target) : value
  }
  return { passed, proxy: new Proxy(journal, { get }) }
}

test('a journal that tells of its appends is asked to, and what it tells comes to the entity', async () => {
  expect(toldAppendsOf(journal)).toBe(journal.toldAppends)
  const ref = list(journal)
  expect(await ref.ask((replyTo) => ({ item: 'a', replyTo }))).toBe('a')
  expect(await ref.ask((replyTo) => ({ item: 'b', replyTo }))).toBe('ab')
  expect(await journal.highestSequenceNr('List|1')).toBe(2)
})

test('a proxy in front of such a journal is not passed by: every append of an entity comes through it', async () => {
  const { passed, proxy } = counted()
  expect(toldAppendsOf(proxy)).toBeUndefined()
  const ref = list(proxy)
  expect(await ref.ask((replyTo) => ({ item: 'a', replyTo }))).toBe('a')
  expect(await ref.ask((replyTo) => ({ item: 'b', replyTo }))).toBe('ab')
  expect(passed.map(({ expectedSequenceNr }) => expectedSequenceNr)).toEqual([0, 1])
  // What somebody else's journal gets is plain data.
  expect(Object.keys(passed[0]!)).toEqual([
    ...['persistenceId', 'epoch', 'expectedSequenceNr', 'events'],
  ])
})
