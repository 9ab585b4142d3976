/**
 * Benchmark `remember`: entities of one shard that are remembered on LMDB. `start`: a message to each of 100,000 that do not
 * exist; counted are those that were stored durably, started, and have handled it. `stop`: as many are passivated, until that
 * is stored. `reload`: a node finds a shard that remembers so many, until all run again; with the longest time for which the
 * event loop had no turn meanwhile.
 *
 * Bare: the same ids appended to the journal, or read from it, in the same batches, and nothing else.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Behaviors } from '../src/actor/index.ts'
import { Cluster } from '../src/cluster/internals.ts'
import { systemEnvironment } from '../src/foundation/system-environment.ts'
import { type Journal, LmdbJournal } from '../src/persistence/index.ts'
import { tcpTransport } from '../src/remote/index.ts'
import { Remoting } from '../src/remote/internals.ts'
import { EntityTypeKey, LocalShardStarted, type RememberStore } from '../src/sharding/index.ts'
import { ClusterSharding, RememberJournal } from '../src/sharding/internals.ts'
import { Singletons } from '../src/singleton/internals.ts'
import type { Benchmark, MeasuredCase } from './benchmark.ts'
import { Countdown } from './countdown.ts'
import { quietSystem } from './quiet-system.ts'

const rounds = 3
/** What a shard stores at once. */
const batch = 2_000

type ToSheep = 'hello' | 'rest'
const sheep = new EntityTypeKey<ToSheep>('Sheep')

export const remember: Benchmark = {
  name: 'remember',
  summary: 'entities of one shard started, stopped and reloaded per second, remembered on LMDB',
  async run() {
    return [
      ...(await measureStartAndStop(10_000)),
      ...(await measureStartAndStop(100_000)),
      ...(await measureReload(10_000)),
      ...(await measureReload(100_000)),
      ...(await measureReload(1_000_000)),
    ]
  },
}

const idsOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `sheep-${index}`)

function words(count: number): string {
  return count >= 1_000_000 ? `${count / 1_000_000} M` : `${count / 1_000} k`
}

async function measureStartAndStop(count: number): Promise<MeasuredCase[]> {
  const starts: [number[], number[]] = [[], []]
  const stops: [number[], number[]] = [[], []]
  const ids = idsOf(count)
  console.error(`measuring start and stop ${words(count)}: ours, bare`)
  for (let round = 0; round < rounds; round++) {
    await onStore(async (journal) => {
      const flock = await startFlock(journal)
      // Where the shard lives is found out before.
      await flock.start(['bellwether'])
      starts[0].push(count / (await secondsOf(() => flock.start(ids))))
      stops[0].push(count / (await secondsOf(() => flock.stop(ids))))
      await flock.end()
    })
    await onStore(async (journal) => {
      const store = bareStore(journal)
      await store.load(() => undefined)
      starts[1].push(count / (await secondsOf(() => append(store, ids, true))))
      stops[1].push(count / (await secondsOf(() => append(store, ids, false))))
    })
  }
  return [rowOf(`start ${words(count)}`, starts), rowOf(`stop ${words(count)}`, stops)]
}

async function measureReload(count: number): Promise<MeasuredCase[]> {
  const samples: [number[], number[]] = [[], []]
  const pauses: number[] = []
  const ids = idsOf(count)
  console.error(`measuring reload ${words(count)}: ours, bare`)
  await onStore(async (journal) => {
    const first = bareStore(journal)
    await first.load(() => undefined)
    await append(first, ids, true)
    // A shard that nobody ever asked for is given no home.
    const before = await startFlock(journal, count)
    await before.start(ids.slice(0, 1))
    await before.whenAllStarted
    await before.end()
    samples[1].push(count / (await secondsOf(() => bareStore(journal).load(() => undefined))))
    globalThis.gc?.()
    const watch = new PauseWatch()
    const after = await startFlock(journal, count, watch)
    const { lastMs, firstMs } = await after.whenAllStarted
    samples[0].push((count * 1_000) / (lastMs - firstMs))
    pauses.push(watch.end())
    await after.end()
  })
  const name = `reload ${words(count)}`
  const pause = { name: 'ours', samples: pauses }
  return [
    rowOf(name, samples),
    { name: `${name}: longest pause`, unit: 'ms', contestants: [pause] },
  ]
}

function rowOf(name: string, [ours, bare]: readonly [number[], number[]]): MeasuredCase {
  const contestants = [
    { name: 'ours', samples: ours },
    { name: 'bare', samples: bare },
  ]
  return { name, unit: 'entities/s', contestants }
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1_000
}

async function onStore(work: (journal: LmdbJournal) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sherd-bench-'))
  const journal = await LmdbJournal.open({ folder })
  try {
    await work(journal)
  } finally {
    await journal.close()
    rmSync(folder, { recursive: true })
  }
}

function bareStore(journal: Journal): RememberStore {
  const { timers } = systemEnvironment({})
  const whose = { entityType: 'Sheep', shard: 0, writer: '127.0.0.1:1#0000000000000001' } as const
  return new RememberJournal({ journal, timers, ...whose })
}

async function append(
  store: RememberStore,
  ids: readonly string[],
  isStart: boolean,
): Promise<void> {
  const all = new Set(ids)
  for (let first = 0; first < ids.length; first += batch) {
    const part = ids.slice(first, first + batch)
    const change = isStart ? { started: part, stopped: [] } : { started: [], stopped: part }
    await store.update(change, all)
  }
}

/** Says when an entity was forgotten. */
function toldBy(store: RememberStore, forgotten: () => void): RememberStore {
  return {
    load: (onChange) => store.load(onChange),
    update: async (change, remembered) => {
      await store.update(change, remembered)
      change.stopped.forEach(forgotten)
    },
    close: () => store.close(),
  }
}

/** A node with one shard of sheep. */
async function startFlock(journal: Journal, count = 0, watch?: PauseWatch) {
  const system = quietSystem()
  const remoting = await Remoting.start({
    ...{ system, transport: tcpTransport, clusterName: 'bench' },
    bind: { host: '127.0.0.1', port: 0 },
  })
  const cluster = Cluster.start({ system, remoting })
  const singletons = new Singletons({ system, remoting, cluster })
  const [greeted, started, forgotten] = [new Countdown(), new Countdown(), new Countdown()]
  const sharding = new ClusterSharding({
    ...{ system, remoting, cluster, singletons, journal },
    rememberStore: (options) => {
      const { timers } = system.environment
      return toldBy(new RememberJournal({ journal, timers, ...options }), forgotten.one)
    },
  })
  const millions = { bufferedMessagesMax: 2_000_000, entityBufferedMessagesMax: 2_000_000 }
  sharding.init<ToSheep>({
    key: sheep,
    rememberEntities: true,
    settings: { numberOfShards: 1, ...millions },
    behavior: (entity) => {
      started.one()
      return Behaviors.receiveMessage<ToSheep>((message) => {
        if (message === 'rest') entity.passivate()
        else greeted.one()
      })
    },
  })
  const times = { firstMs: 0, lastMs: 0 }
  system.eventStream.subscribe(LocalShardStarted, () => {
    times.firstMs = performance.now()
    watch?.begin()
  })
  const whenAllStarted = started.from(count).then(() => {
    times.lastMs = performance.now()
    return times
  })
  cluster.join(remoting.address)
  await cluster.whenUp
  const tellAll = (ids: readonly string[], message: ToSheep): void => {
    for (const id of ids) sharding.entityRefFor(sheep, id).tell(message)
  }
  return {
    whenAllStarted,
    start: (ids: readonly string[]): Promise<void> => {
      const finished = greeted.from(ids.length)
      tellAll(ids, 'hello')
      return finished
    },
    stop: (ids: readonly string[]): Promise<void> => {
      const finished = forgotten.from(ids.length)
      tellAll(ids, 'rest')
      return finished
    },
    end: () => system.terminate(),
  }
}

/** The longest time for which the event loop had no turn. */
class PauseWatch {
  #last = 0
  #longestMs = 0
  #isOver = false

  begin(): void {
    this.#last = performance.now()
    this.#look()
  }

  end(): number {
    this.#isOver = true
    return this.#longestMs
  }

  #look(): void {
    const now = performance.now()
    this.#longestMs = Math.max(this.#longestMs, now - this.#last)
    this.#last = now
    if (!this.#isOver) setImmediate(() => this.#look())
  }
}
