/**
 * Hosts for `failover` in network namespaces, one for each process. A process cannot go into another namespace when it runs: so
 * the scenes, in which this one is a member as well, are played by a child that was started there.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { HostNetwork } from '../test/processes/harness/hosts/host-network.ts'
import { missingForHosts } from '../test/processes/harness/hosts/host-tools.ts'
import type { Seats } from './failover-cluster.ts'
import type { Note, Row } from './failover-scenes.ts'

const program = fileURLToPath(new URL('./failover-apart-child.js', import.meta.url))
const hosts = ['a', 'b', 'c']
const client = 'client'

/** Child -> parent: what a scene took. */
export interface Noted {
  readonly row: Row
  readonly ms: number
}

export class HostsApart {
  readonly #network = new HostNetwork([...hosts, client])

  private constructor() {}

  /** Undefined, and said, where there can be none. */
  static make(): HostsApart | undefined {
    const missing = missingForHosts()
    if (missing.length === 0) return new HostsApart()
    console.error(`without network namespaces. ${missing.join(' ')}`)
    return undefined
  }

  async play(note: Note): Promise<void> {
    const { host, enter } = this.#network.seatOf(client)
    const seats: Seats = { client: host, hosts: hosts.map((name) => this.#network.seatOf(name)) }
    const [execPath, ...execArgv] = enter
    const child = fork(program, [JSON.stringify(seats)], {
      execPath,
      execArgv: [...execArgv, process.execPath],
    })
    child.on('message', (noted) => note((noted as Noted).row, (noted as Noted).ms))
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`the scenes in network namespaces ended with ${code}`)
  }

  dispose(): void {
    this.#network.dispose()
  }
}
