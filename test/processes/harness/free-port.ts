/**
 * Ports for nodes that are to come back on the same one. They lie below the range from which the system takes ports for
 * outgoing connections: while a node is dead, somebody's connection could otherwise take its port, or dial itself there.
 */
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

const lowest = 10_000
const highest = 32_000

/** Whoever got one may not listen yet, or just not now: nobody else of this process is to get it. */
const handedOut = new Set<number>()

/** A port of 127.0.0.1 on which nobody listens now, and that was never handed out before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest)
    if (handedOut.has(port)) continue
    handedOut.add(port)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
