/** Where a node of `failover` is: by loopback on one host with the others, or on a host of its own. */
import type { NodeOptions } from '../src/node/index.ts'

export interface Place {
  /** Undefined: loopback, as all the others. */
  readonly host?: string
  readonly port: number
  readonly seeds: readonly string[]
}

/** On hosts of their own nobody sees the processes of others; here everybody could, so they may not look. */
export function optionsAt({ host, port, seeds }: Place): NodeOptions {
  if (host === undefined) return { port, seeds }
  const settings = { cluster: { processLookIntervalMs: Infinity } }
  return { host, port, seeds, secret: 'of all hosts of the benchmark', settings }
}
