/** What a node says that is left alone by the others, or was given up. */
import { EventEmitter, once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { type CallTimeout, defineEntity } from '../../src/entity/index.ts'
import type { NodeSettings, SherdNode } from '../../src/node/index.ts'
import { MemoryJournal } from '../../src/persistence/index.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { Counter, nodeFor, whenAll } from './nodes.ts'

const settings: NodeSettings = {
  cluster: {
    heartbeatIntervalMs: 200,
    acceptableHeartbeatPauseMs: 800,
    gossipIntervalMs: 100,
    tickIntervalMs: 50,
    // By the default the store would let the last one go on.
    downing: { strategy: 'keep-majority', stableAfterMs: 1_000 },
    downedLingerMs: 1_000,
  },
}

/** Sleeps until it has to stop. */
const Sleeper = defineEntity('Sleeper', {
  state: () => ({}),
  commands: {
    rest: () => undefined,
    sleep: (self) =>
      new Promise<void>((resolve) => {
        self.signal.addEventListener('abort', () => resolve())
        asleep.emit(self.id)
      }),
  },
})
const asleep = new EventEmitter()

async function begins(id: string): Promise<void> {
  await once(asleep, id)
}

const membersUp = ({ cluster }: SherdNode): number =>
  cluster.state.members.filter(({ status }) => status === 'Up').length

async function three(logger: CapturedLogs): Promise<readonly [SherdNode, SherdNode, SherdNode]> {
  const options = { entities: [Counter, Sleeper], store: new MemoryJournal(), settings }
  const a = await nodeFor({ ...options, environment: { logger } })
  const b = await nodeFor({ ...options, seeds: [a.address] })
  const c = await nodeFor({ ...options, seeds: [a.address] })
  await whenAll([a, b, c], (node) => membersUp(node) === 3)
  return [a, b, c]
}

/** An id of an entity that lives on that node. */
async function idOn(node: SherdNode): Promise<string> {
  for (let number = 0; number < 1_000; number++) {
    const id = `c${number}`
    await node.entity(Counter, id).increment(1)
    await node.entity(Sleeper, id).rest()
    const kinds = [Counter, Sleeper]
    const places = await Promise.all(kinds.map((kind) => node.explain(kind, id)))
    if (places.every(({ isHere }) => isHere)) return id
  }
  throw new Error('nothing lives there')
}

describe('a call to a node that is killed', () => {
  test('says that this node was removed while it waited, and where the entity is now', async () => {
    const [a, b, c] = await three(new CapturedLogs())
    const id = await idOn(c)
    const begun = begins(id)
    const lost = a.entity(Sleeper, id, { timeout: '5s' }).sleep()
    const failure = lost.catch((thrown: unknown) => thrown)
    await begun
    // As a process that is killed: nothing more is sent, and nobody is told.
    await c.remoting.stop()
    await whenAll([a, b], ({ cluster }) => cluster.state.members.length === 2)
    const error = (await failure) as CallTimeout
    expect(error.code).toBe('CALL_TIMEOUT')
    expect(error.message).toContain('got no answer in 5 s. As seen from this node: Entity ')
    expect(error.waitedFor).toContain(
      ` While the call waited, ${c.id} was removed from the cluster: if it was on its way there, it is lost.`,
    )
  }, 60_000)
})

describe('a node whose two peers are killed', () => {
  test('says that it is frozen, that it was removed, and whom it could not reach', async () => {
    const logger = new CapturedLogs()
    const [a, b, c] = await three(logger)
    const id = await idOn(b)
    await a.entity(Counter, id).get()
    await Promise.all([b.remoting.stop(), c.remoting.stop()])
    await whenAll([a], ({ cluster }) => cluster.isFrozen)
    const { text } = await a.explain(Counter, id)
    expect(text).toContain('This node is frozen. It may have been cut off from the majority')
    expect(text).not.toContain('known there')
    await whenAll([a], ({ cluster }) => cluster.selfMember?.status === 'Down')
    expect((await a.explain(Counter, id)).text).toContain(
      'This node was removed from the cluster: call it through another.',
    )
    await a.whenStopped
    const [line] = logger.matching('This node was removed from the cluster', 'error')
    expect(line?.message).toContain('(2 of 3 members were unreachable from here)')
    expect((await a.explain(Counter, id)).text).toContain('This node was removed')
  }, 60_000)
})
