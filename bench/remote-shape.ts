/** What the processes of the remote benchmarks agree on, and how the second one is started. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { tcpTransport } from '../src/remote/index.ts'
import { Remoting } from '../src/remote/internals.ts'
import { quietSystem } from './quiet-system.ts'

/** Messages after which the receiver asks for the next burst. */
export const burst = 500

/** Bursts under way at any time. */
export const burstsUnderWay = 12

export interface Child {
  readonly told: { readonly address?: string; readonly port?: number }
  end(): void
}

/** Starts the other process and waits until it listens. */
export function startChild(kind: 'ours' | 'bare'): Promise<Child> {
  const child = fork(fileURLToPath(new URL('./remote-child.js', import.meta.url)), [kind])
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the other process ended with ${code}`)))
    child.once('message', (told) =>
      resolve({ told: told as Child['told'], end: () => child.disconnect() }),
    )
  })
}

/** Our side of a remote benchmark: a system of this process and the actor that serves in the other one. */
export async function startOurs() {
  const child = await startChild('ours')
  const system = quietSystem()
  const remoting = await Remoting.start({
    system,
    transport: tcpTransport,
    clusterName: 'bench',
    bind: { host: '127.0.0.1', port: 0 },
  })
  const server = remoting.refAt(child.told.address ?? '', '/user/server')
  const tearDown = async (): Promise<void> => {
    await system.terminate()
    child.end()
  }
  return { system, server, tearDown }
}
