import { expect, test } from 'vitest'
import { MemoryJournal } from '../../src/persistence/index.ts'
import { defaultRemoteSettings } from '../../src/remote/index.ts'
import { defaultShardingSettings } from '../../src/sharding/index.ts'
import { defaultReleasedMax } from '../../src/sharding/region/shard-routes.ts'
import { Counter, nodeFor } from './nodes.ts'

const entities = 500
const rounds = 40

test('a newcomer may call another node very often in one turn: all is answered, in order', async () => {
  expect(entities * rounds).toBeGreaterThan(10 * defaultReleasedMax)
  const store = new MemoryJournal()
  const settings = { actor: { askTimeoutMs: 600_000 } }
  const host = await nodeFor({ entities: [Counter], store })
  const seeds = [host.address]
  const caller = await nodeFor({ proxies: [Counter], store, seeds, settings })
  const answers = Array.from({ length: entities }, (): Promise<number>[] => [])
  const callAll = (): void => {
    for (const [index, calls] of answers.entries()) {
      calls.push(caller.entity(Counter, `c-${index}`).increment(1))
    }
  }
  for (let round = 1; round < rounds; round++) callAll()
  // And once more when some of the others have gone and some have not.
  await answers[0]![0]
  callAll()
  const inOrder = Array.from({ length: rounds }, (_, index) => index + 1)
  for (const calls of answers) expect(await Promise.all(calls)).toEqual(inOrder)
})

test('the queue to one node has room for all that a region may hold until it knows the homes', () => {
  const { queueMessagesMax } = defaultRemoteSettings
  expect(queueMessagesMax).toBeGreaterThan(defaultShardingSettings.bufferedMessagesMax)
})
