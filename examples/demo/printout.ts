/** The view where there is no terminal: one line per second, and one for each piece of news. */
import type { News, NodeView, View } from './view.ts'
import { inWords, markOf, milliseconds } from './words.ts'

export function lineOfView(view: View): string {
  const { elapsedMs, callsPerSecond, p50Ms, p99Ms, nodes, moves, check, coins } = view
  return [
    seconds(elapsedMs),
    `${inWords(callsPerSecond)} calls/s`.padEnd(13),
    `p50 ${milliseconds(p50Ms)}`.padEnd(10),
    `p99 ${milliseconds(p99Ms)}`.padEnd(11),
    `moved ${inWords(moves)}`.padEnd(8),
    `${inWords(coins)} coins ${markOf(check)}`,
    nodes.map(nodeInWords).join(', '),
  ]
    .join('  ')
    .trimEnd()
}

export function lineOfNews({ atMs, text }: News): string {
  return `${seconds(atMs)}  * ${text}`
}

/** `node 1 Up 12`: with twelve shards. */
function nodeInWords({ name, member, isReachable, isFrozen, shards }: NodeView): string {
  const status = isReachable ? (isFrozen ? 'frozen' : (member ?? 'starting')) : 'unreachable'
  return `${name} ${status} ${shards}`
}

function seconds(ms: number): string {
  return `${Math.floor(ms / 1_000)} s`.padStart(6)
}
