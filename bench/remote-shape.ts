/** What the processes of the remote benchmarks agree on, and how the second one is started. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ActorSystem } from '../src/actor/index.ts'
import { tcpTransport, type TlsOptions } from '../src/remote/index.ts'
import { openTls, Remoting } from '../src/remote/internals.ts'
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
export function startChild(kind: 'ours' | 'bare', tls?: TlsOptions): Promise<Child> {
  const given = tls === undefined ? [] : [JSON.stringify(tls)]
  const file = fileURLToPath(new URL('./remote-child.js', import.meta.url))
  const child = fork(file, [kind, ...given])
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the other process ended with ${code}`)))
    child.once('message', (told) =>
      resolve({ told: told as Child['told'], end: () => child.disconnect() }),
    )
  })
}

/** The network of one of the two processes, encrypted where it is given what that takes. */
export async function startRemoting(system: ActorSystem, tls?: TlsOptions): Promise<Remoting> {
  const { environment } = system
  const clusterName = 'bench'
  const network =
    tls === undefined
      ? { transport: tcpTransport, stop: () => undefined }
      : await openTls({ tls, clusterName, environment })
  system.shutdown.addTask('actor-system-terminate', 'look at no more certificates', async () =>
    network.stop(),
  )
  const bind = { host: '127.0.0.1', port: 0 }
  return Remoting.start({ system, clusterName, bind, ...network })
}

/** Our side of a remote benchmark: a system of this process and the actor that serves in the other one. */
export async function startOurs(credentials?: () => TlsOptions) {
  const child = await startChild('ours', credentials?.())
  const system = quietSystem()
  const remoting = await startRemoting(system, credentials?.())
  const server = remoting.refAt(child.told.address ?? '', '/user/server')
  const tearDown = async (): Promise<void> => {
    await system.terminate()
    child.end()
  }
  return { system, server, tearDown }
}
