/**
 * The processes of this machine. Linux tells when each was started; its numbers mean the same to all who have the same boot,
 * pid namespace and time namespace (start times are told in the time of the latter). Elsewhere a process knows its own start
 * only, and hosts are told apart by their names: there a number that is in use proves nothing.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { namedHost, type ProcessTable, type SeenProcess } from './process-identity.ts'

export function systemProcessTable(): ProcessTable {
  return process.platform === 'linux' ? linuxTable() : otherTable()
}

function linuxTable(): ProcessTable {
  const own = seenInProc('self')
  return {
    host: linuxHost(),
    pid: process.pid,
    start: typeof own === 'string' ? undefined : own.start,
    see: (pid) => (isThere(pid) ? seenInProc(pid) : 'none'),
  }
}

function linuxHost(): string | undefined {
  const boot = read('/proc/sys/kernel/random/boot_id')?.trim()
  const own = read('/proc/self/stat')
  // Where /proc shows another namespace than this process lives in, it shows other numbers.
  if (boot === undefined || boot === '' || own?.split(' ', 1)[0] !== `${process.pid}`) {
    return undefined
  }
  const pids = namespace('pid')
  // Kernels before 5.6 have only one time.
  return pids === undefined ? undefined : `${boot}/${pids}/${namespace('time') ?? 0}`
}

/** Its number. */
function namespace(kind: 'pid' | 'time'): string | undefined {
  try {
    return /^\w+:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/ns/${kind}`))?.[1]
  } catch {
    return undefined
  }
}

/** `number (name) state ...`; the name may hold anything, closing brackets included. */
function seenInProc(pid: number | 'self'): SeenProcess {
  const text = read(`/proc/${pid}/stat`)
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, threads, start] = [fields?.[0], fields?.[17], fields?.[19]]
  // Ended, and nobody has asked yet how. While threads of it are left it is not over.
  if (state === 'Z' && threads === '1') return 'none'
  return start === undefined || !/^\d+$/.test(start) ? 'unknown' : { start }
}

function otherTable(): ProcessTable {
  return {
    host: hostname() === '' ? undefined : `${namedHost}${encodeURIComponent(hostname())}`,
    pid: process.pid,
    // In a worker thread it is that of the thread, so even for the number of this process it proves nothing.
    start: `${Math.round(performance.timeOrigin)}`,
    see: (pid) => (isThere(pid) ? 'unknown' : 'none'),
  }
}

/** Asks the system itself, as `/proc` may hide the processes of others. A process that we may not signal is there. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
