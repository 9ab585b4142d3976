/**
 * One node of the bank: a member that hosts accounts, and a teller that calls accounts wherever they live. Its process is
 * started, told what to do and ended by the operator's; without an operator it ends itself.
 */
import { type ClusterEvent, startNode } from '../../src/index.ts'
import { Account } from './account.ts'
import type { FromNode, NodeEvent, Report, ToNode } from './messages.ts'
import { Teller } from './teller.ts'

const reportEveryMs = 500

type Node = Awaited<ReturnType<typeof start>>
type Start = Extract<ToNode, { type: 'Start' }>

/** All that a node needs: what it hosts, where that is stored, and whom it joins. */
function start({ store: folder, seeds, port }: Start) {
  return startNode({
    entities: [Account],
    store: { folder },
    seeds,
    ...(port !== undefined && { port }),
    // A new node gets its share within seconds, for those who watch.
    settings: { sharding: { rebalanceIntervalMs: 2_000, rebalanceShareMax: 0.2 } },
  })
}

async function run(how: Start): Promise<void> {
  const node = await start(how)
  const { cluster } = node
  // Calls to a node that was killed are never answered: better ask again soon.
  const teller = new Teller((id) => node.entity(Account, id, { timeout: '1s' }))
  process.on('message', (message: ToNode) => void obey(message, teller))
  cluster.subscribe((event) => tellOf(event, cluster.self))
  // What happened before we could listen.
  for (const member of cluster.state.members) {
    if (member.status === 'Up') tellOf({ type: 'MemberUp', member }, cluster.self)
  }
  tell({ type: 'Started', address: addressOf(cluster.self) })
  const report = (): void => tell({ type: 'Report', report: reportOf(node, teller) })
  report()
  const timer = setInterval(report, reportEveryMs)
  const { type: reason } = await node.whenStopped
  clearInterval(timer)
  tell({ type: 'Stopped', reason }, () => process.exit(0))
}

async function obey(message: ToNode, teller: Teller): Promise<void> {
  if (message.type === 'CarryOut') {
    const { transfer } = message
    const outcome = await teller.carryOut(transfer)
    if (outcome !== undefined) tell({ type: 'Finished', transfer, outcome })
  }
  if (message.type === 'GetStatements') {
    const statements = await Promise.all(
      message.accounts.map(async (id) => [id, await teller.statementOf(id)] as const),
    )
    tell({ type: 'Statements', statements })
  }
}

function reportOf({ cluster, sharding }: Node, teller: Teller): Report {
  const { shards } = sharding.regionState(Account.name)
  const { members, unreachable } = cluster.state
  return {
    ...teller.takeFigures(),
    isFrozen: cluster.isFrozen,
    shards: shards.map(({ shard }) => String(shard)),
    entities: shards.reduce((sum, { entityIds }) => sum + entityIds.length, 0),
    members: members.map(({ node, status, upNumber }) => ({
      address: addressOf(node),
      status,
      upNumber,
      isReachable: !unreachable.has(node),
    })),
  }
}

function tellOf(event: ClusterEvent, self: string): void {
  const told = inBrief(event, addressOf(self))
  if (told !== undefined) tell({ type: 'Event', event: told })
}

/** The part of the news that the operator wants to see. */
function inBrief(event: ClusterEvent, self: string): NodeEvent | undefined {
  switch (event.type) {
    case 'Frozen':
      return { kind: 'Frozen', address: self, detail: event.reason }
    case 'Thawed':
      return { kind: 'Thawed', address: self }
    case 'UnreachableDataCenter':
    case 'ReachableDataCenter':
    case 'LeaderChanged':
    case 'PreparingForShutdown':
    case 'ReadyForShutdown':
    case 'ClusterShuttingDown':
      return undefined
    default:
      return { kind: event.type, address: addressOf(event.member.node) }
  }
}

/** `127.0.0.1:41234#00c0ffee12345678` without the number of the incarnation. */
function addressOf(node: string): string {
  return node.slice(0, node.indexOf('#'))
}

function tell(message: FromNode, sent: () => void = () => undefined): void {
  // An operator who has gone is told of by `disconnect`.
  if (process.connected) process.send?.(message, undefined, undefined, sent)
}

process.once('disconnect', () => process.exit(1))
process.once('message', (message: ToNode) => {
  if (message.type !== 'Start') return
  run(message).catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
})
tell({ type: 'Loaded' })
