/** What an operator reads who has never seen the source, from the first node to the last. */
import { expect, test } from 'vitest'
import type { SherdNode } from '../../src/node/index.ts'
import { MemoryJournal } from '../../src/persistence/index.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { Counter, nodeFor, whenAll } from './nodes.ts'

/** As users have them, but quicker to tell: what a busy machine holds up is not taken for dead. */
const settings = { cluster: { gossipIntervalMs: 100, tickIntervalMs: 50 } }

/** Paths, classes and connections of the runtime, which nobody has read of. */
const internals =
  /\/system\/|\/temp\/|\$ask|DeadLetter\(|Dropped\(|Coordinator[A-Z]|[a-z]Coordinator\b|\blanes?\b|quarantine|\bterm \d/

async function call(node: SherdNode, id: string, timeout: '1s' | '30s' = '30s'): Promise<void> {
  await node.entity(Counter, id, { timeout }).increment(1)
}

test('the story of a cluster names no internals, and every line its node', async () => {
  const logs = new CapturedLogs()
  const store = new MemoryJournal()
  const nodeAt = (...seeds: readonly SherdNode[]): Promise<SherdNode> =>
    nodeFor({
      ...{ entities: [Counter], store, settings, environment: { logger: logs } },
      seeds: seeds.map(({ address }) => address),
    })
  const a = await nodeAt()
  const b = await nodeAt(a)
  const c = await nodeAt(a)
  const ids = Array.from({ length: 30 }, (_, index) => `c${index}`)
  await Promise.all(ids.map((id) => call(a, id)))
  // As a process that is killed, with calls on their way.
  const lost = Promise.allSettled(ids.map((id) => call(a, id, '1s')))
  await c.remoting.stop()
  await whenAll([a, b], ({ cluster }) => cluster.state.members.length === 2)
  await lost
  const d = await nodeAt(a)
  await whenAll([a, b, d], ({ cluster }) => cluster.state.members.length === 3)
  await Promise.all(ids.map((id) => call(d, id)))
  await a.stop()
  await whenAll([b, d], ({ cluster }) => cluster.state.members.length === 2)
  await Promise.all(ids.map((id) => call(d, id)))

  const told = logs.lines.filter(({ level }) => level !== 'debug' && level !== 'trace')
  const nodes = [a, b, c, d].map(({ address }) => address)
  for (const { message, fields } of logs.lines) {
    expect([message, [...nodes, '127.0.0.1:0'].includes(String(fields['node']))]).toEqual([
      message,
      true,
    ])
  }
  const puzzling = told
    .map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`)
    .filter((line) => internals.test(line))
  expect(puzzling).toEqual([])
  const about = (node: SherdNode, other: SherdNode, words: string): number =>
    told.filter(
      ({ message, fields }) =>
        fields['node'] === node.address && message.startsWith(`${other.address} ${words}`),
    ).length
  // One line for each state, whatever the connections between the two did.
  expect(['is up', 'is downed', 'is removed'].map((words) => about(a, c, words))).toEqual([1, 1, 1])
  expect(['is joining', 'is up'].map((words) => about(b, d, words))).toEqual([1, 1])
  expect(['is leaving', 'has left'].map((words) => about(d, a, words))).toEqual([1, 1])
}, 120_000)
