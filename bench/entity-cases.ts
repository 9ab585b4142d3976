/**
 * The cases of the benchmarks of calls: reads, and flat objects there and back, beside questions to plain actor entities (`plain`)
 * and bare ones, all in one run; and calls that store an event, beside the store itself. Each with the time that a call takes.
 */
import type { ActorRef } from '../src/actor/index.ts'
import type { MeasuredCase } from './benchmark.ts'
import { inFlightCases, runCallers } from './callers.ts'
import { makeOrder, type OpenShops } from './entity-shape.ts'
import { type Contestant, measure, type Running, timedRounds } from './harness.ts'
import { Latencies } from './latencies.ts'
import type { ShardedStage } from './sharded-cases.ts'
import { entityCount, type ToAccount } from './sharded-shape.ts'

/** Shops that are all open, as a node calls them. */
export interface ShopStage {
  readonly shops: OpenShops
  readonly tearDown: () => Promise<void>
}

export interface CallCases {
  readonly startShops: () => Promise<ShopStage>
  readonly startPlain: () => Promise<ShardedStage>
  readonly askBare: (inFlight: number) => Running | Promise<Running>
  /** The store itself, with so many writers. */
  readonly storeBare: (writers: number) => Running
}

type Call = (turn: number) => Promise<number>

export async function measureCalls(cases: CallCases): Promise<MeasuredCase[]> {
  const rows: MeasuredCase[] = []
  for (const [name, inFlight] of inFlightCases)
    rows.push(...(await measureReads(cases, name, inFlight)))
  for (const [name, inFlight] of inFlightCases)
    rows.push(...(await measureStores(cases, name, inFlight)))
  return rows
}

async function measureReads(
  { startShops, startPlain, askBare }: CallCases,
  name: string,
  inFlight: number,
): Promise<MeasuredCase[]> {
  const stage = await startShops()
  const plain = await startPlain()
  const { shops } = stage
  const get = (replyTo: ActorRef<number>): ToAccount => ({ type: 'get', replyTo })
  const lanes = {
    read: timedLane(inFlight, (turn) => shops[turn % entityCount]!.one()),
    echo: timedLane(inFlight, (turn) => shops[turn % entityCount]!.echo(makeOrder()).then(countOf)),
    plain: timedLane(inFlight, (turn) => plain.refs[turn % entityCount]!.ask(get)),
  }
  try {
    const contestants: Contestant[] = [
      ...Object.entries(lanes).map(([lane, { running }]) => ({ name: lane, setUp: () => running })),
      { name: 'bare', setUp: () => askBare(inFlight) },
    ]
    const unit = 'calls/s'
    const all = await measure({ name, unit, operationsStep: inFlight, contestants })
    const of = (lane: string, as: string) => ({
      name: as,
      samples: all.contestants.find((each) => each.name === lane)?.samples ?? [],
    })
    return (['read', 'echo'] as const).flatMap((ours) => [
      {
        ...{ name: `${ours}, ${name}`, unit },
        contestants: [of(ours, 'ours'), of('plain', 'plain'), of('bare', 'bare')],
      },
      ...timesOf(`${ours}, ${name}`, { ours: lanes[ours].latencies, plain: lanes.plain.latencies }),
    ])
  } finally {
    await stage.tearDown()
    await plain.tearDown()
  }
}

async function measureStores(
  { startShops, storeBare }: CallCases,
  name: string,
  inFlight: number,
): Promise<MeasuredCase[]> {
  const stage = await startShops()
  const { shops } = stage
  const ours = timedLane(inFlight, (turn) => shops[turn % entityCount]!.sell(1))
  const bare = new Latencies()
  const store = storeBare(inFlight)
  try {
    const all = await measure({
      ...{ name: `store one event, ${name}`, unit: 'calls/s', operationsStep: inFlight },
      contestants: [
        { name: 'ours', setUp: () => ours.running },
        { name: 'bare', setUp: () => roundsOf(store, bare, inFlight) },
      ],
    })
    return [all, ...timesOf(all.name, { ours: ours.latencies, bare })]
  } finally {
    await stage.tearDown()
  }
}

const countOf = ({ count }: { readonly count: number }): number => count

function timedLane(inFlight: number, call: Call): { running: Running; latencies: Latencies } {
  const latencies = new Latencies()
  let turn = 0
  const caller = async (calls: number): Promise<number> => {
    let sum = 0
    for (let made = 0; made < calls; made++) {
      const next = turn++
      sum += await (latencies.isDue ? latencies.timed(() => call(next)) : call(next))
    }
    return sum
  }
  const running = {
    round: (operations: number) => runCallers(operations, inFlight, caller),
    afterRound: () => latencies.endRound(),
  }
  return { running, latencies }
}

/** Of a store that does nothing else, a commit takes what each of its writers waits. */
function roundsOf(store: Running, latencies: Latencies, inFlight: number): Running {
  return {
    ...store,
    round: async (operations) => {
      const start = performance.now()
      await store.round(operations)
      const commits = operations / inFlight
      latencies.took(((performance.now() - start) * 1_000) / commits)
    },
    afterRound: () => latencies.endRound(),
  }
}

function timesOf(name: string, lanes: Readonly<Record<string, Latencies>>): MeasuredCase[] {
  return (['p50', 'p99'] as const).map((share) => ({
    ...{ name: `${name}, ${share}`, unit: 'us' },
    contestants: Object.entries(lanes).map(([lane, latencies]) => ({
      name: lane,
      samples: latencies[share].slice(-timedRounds),
    })),
  }))
}
