import { expect, test } from 'vitest'
import type { Runtime } from '../../actor/internals.ts'
import { nodeIdOf } from '../../foundation/node-id.ts'
import { ManualTime } from '../../testkit/index.ts'
import type { Shard } from '../shard/shard.ts'
import type { StartAsker } from '../shard/shard-inputs.ts'
import { shardingSettings } from '../sharding-settings.ts'
import { RegionStarts } from './region-starts.ts'

const [here, there] = [nodeIdOf('here:1', 1n), nodeIdOf('there:1', 2n)]

/** Ids that begin with a number are of that shard; shard 3 lives here, all others there. */
function regionStarts() {
  const runtime = { environment: new ManualTime().environment } as unknown as Runtime
  const sent: unknown[] = []
  const asked: (readonly [readonly string[], StartAsker])[] = []
  const shard = {
    shard: 3,
    startEntities: (ids: readonly string[], asker: StartAsker) => void asked.push([ids, asker]),
    step: (input: unknown) => void sent.push(input),
  } as unknown as Shard
  const starts = new RegionStarts({
    ...{ node: here, runtime, settings: shardingSettings({ numberOfShards: 8 }) },
    shardHere: (id) => (id === 3 ? shard : undefined),
    shardOf: (entityId) => {
      if (Number.isNaN(Number(entityId[0]))) throw new Error('no shard')
      return Number(entityId[0])
    },
    homeOf: (id) => (id === 3 ? here : there),
    findHome: () => undefined,
    send: (to, message) => void sent.push({ to, message }),
  })
  return { starts, shard, sent, asked }
}

test('what another region wants is started in one step, and answered as the shard says', () => {
  const { starts, sent, asked } = regionStarts()
  const entityIds = ['3a', '4a', 'none', '3b']
  starts.wanted(there, { type: 'StartEntities', shard: 3, ask: 7, entityIds })
  const [ids, asker] = asked[0]!
  expect(asked).toHaveLength(1)
  expect(ids).toEqual(['3a', '3b'])
  starts.tell(ids, asker)
  const message = { type: 'EntitiesStarted', shard: 3, ask: 7, entityIds: ['3a', '3b'] }
  expect(sent).toEqual([{ to: there, message }])
})

test('a shard hears together of all that were started elsewhere', () => {
  const { starts, shard, sent } = regionStarts()
  const entityIds = ['5a', '5b']
  starts.startElsewhere(shard, 5, entityIds)
  expect(sent.splice(0)).toMatchObject([{ to: there, message: { type: 'StartEntities', ask: 1 } }])
  starts.answered({ type: 'EntitiesStarted', shard: 5, ask: 1, entityIds })
  expect(sent).toEqual([{ type: 'MovedAway', entityIds }])
  starts.cancel()
})
