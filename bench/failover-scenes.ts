/** The scenes of `failover`: what happens to a cluster of counters under load, each on a cluster of its own, and what it took. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Callers, longestGapMs } from './failover-callers.ts'
import { type FailoverCluster, type Host, type Seats, startCluster } from './failover-cluster.ts'

/** How long counters may be away before we give up on them. */
const patienceMs = 20_000
/** Calls to a dead host are never answered: the sooner they are repeated, the finer we see. */
const impatientMs = 250
/** While nobody dies, calls should not fail at all. */
const patientMs = 5_000
/** How long all counters are called before something happens. */
const calmMs = 500

export const rows = {
  killHost: 'kill -9 of a host: last entity answers again',
  killCoordinator: "kill -9 of the coordinator's host: last entity answers again",
  killApart: 'the same, hosts in network namespaces: only refused connections tell',
  killCoordinatorApart: "the same of the coordinator's host, in network namespaces",
  leave: 'graceful leave: longest gap of one entity',
  leaveCoordinator: "graceful leave of the coordinator's host: longest gap of one entity",
  start: 'start: three processes to the first sharded reply',
} as const
export type Row = keyof typeof rows
export type Note = (row: Row, ms: number) => void

interface Stage {
  readonly cluster: FailoverCluster
  readonly callers: Callers
  readonly note: Note
}

/** All processes on this host, by loopback. */
export async function playTogether(note: Note): Promise<void> {
  await playScene(note, impatientMs, (stage) => kill(stage, 'killHost'))
  await playScene(note, impatientMs, (stage) => kill(stage, 'killCoordinator'))
  await playScene(note, patientMs, leaveTwice)
}

/** Each process where it is told to be, this one too. */
export async function playApart(note: Note, seats: Seats): Promise<void> {
  // Of a start the others tell.
  const noteKill: Note = (row, ms) => void (row === 'start' || note(row, ms))
  await playScene(noteKill, impatientMs, (stage) => kill(stage, 'killApart'), seats)
  await playScene(noteKill, impatientMs, (stage) => kill(stage, 'killCoordinatorApart'), seats)
}

/** A cluster with all its counters at work, in which something happens; nothing may be missing in the end. */
async function playScene(
  note: Note,
  callTimeoutMs: number,
  scene: (stage: Stage) => Promise<void>,
  seats?: Seats,
): Promise<void> {
  const cluster = await startCluster(seats)
  try {
    const beganMs = performance.now()
    const ready = cluster.whenAllReady
    const [{ startMs, callers }] = await Promise.all([cluster.firstAnswer(callTimeoutMs), ready])
    note('start', startMs)
    say(`start: first reply after ${inMs(startMs)}`, cluster, beganMs)
    await callers.start()
    if (cluster.hosts.some(({ pid }) => callers.split(pid).there.length === 0)) {
      throw new Error('not every host has counters')
    }
    await pause(calmMs)
    callers.takeFailures()
    await scene({ cluster, callers, note })
    await callers.stop()
    await cluster.stop()
    audit(callers.acknowledged, await cluster.storedCounts())
  } finally {
    await cluster.close()
  }
}

/** One event was stored for each call that was answered, however often it had to be repeated. */
function audit(acknowledged: readonly number[], stored: readonly number[]): void {
  for (const [index, count] of acknowledged.entries()) {
    if (stored[index] === count) continue
    throw new Error(`counter ${index} has ${stored[index]} events stored for ${count} calls`)
  }
  const sum = acknowledged.reduce((total, count) => total + count, 0)
  console.error(`  ${sum} calls acknowledged, none lost or counted twice`)
}

async function kill({ cluster, callers, note }: Stage, row: Row): Promise<void> {
  const victim = pick(cluster, row.startsWith('killCoordinator'))
  const killedMs = performance.now()
  victim.end('SIGKILL')
  const answers = await callers.answersSince(killedMs, patienceMs)
  const lastMs = Math.max(...answers) - killedMs
  note(row, lastMs)
  const repeated = callers.takeFailures().length
  say(`${row}: last answer after ${inMs(lastMs)}, ${repeated} calls repeated`, cluster, killedMs)
}

/** First a host, then the one with the coordinator: the third takes all. */
async function leaveTwice(stage: Stage): Promise<void> {
  await leave(stage, 'leave')
  await leave(stage, 'leaveCoordinator')
}

async function leave({ cluster, callers, note }: Stage, row: 'leave' | 'leaveCoordinator') {
  const leaver = pick(cluster, row === 'leaveCoordinator')
  const { there, elsewhere } = callers.split(leaver.pid)
  callers.forgetGaps()
  const toldMs = performance.now()
  await leaver.leave(patienceMs)
  cluster.tell(`${leaver.address} exited`)
  await callers.answersSince(performance.now(), patienceMs)
  const movedMs = longestGapMs(there)
  const stayedMs = longestGapMs(elsewhere)
  note(row, Math.max(movedMs, stayedMs))
  const failures = callers.takeFailures()
  const gaps = `longest gap of ${there.length} that moved ${inMs(movedMs)}, of the others ${inMs(stayedMs)}`
  say(`${row}: ${gaps}, ${failures.length} calls repeated`, cluster, toldMs)
  if (failures.length > 0) console.error(`  such as: ${failures[0]}`)
  if (callers.split(leaver.pid).there.length > 0)
    throw new Error('a counter answered from a host that has left')
}

function pick({ hosts, oldest }: FailoverCluster, isOldest: boolean): Host {
  const host = hosts.find((candidate) => candidate.isAlive && (candidate === oldest) === isOldest)
  if (host === undefined) throw new Error('there is no such host')
  return host
}

/** The line, and what happened since that moment. */
function say(line: string, { news }: FailoverCluster, sinceMs: number): void {
  console.error(line)
  const since = news.filter(({ atMs }) => atMs >= sinceMs)
  for (const { atMs, what } of since) console.error(`  ${inMs(atMs - sinceMs).padStart(9)} ${what}`)
}

function inMs(duration: number): string {
  return `${Math.round(duration)} ms`
}
