/**
 * Who survives a split: nobody. For those who would rather start all nodes again than have anybody decide, and for networks
 * in which links come and go so often that no picture can be trusted. Everybody freezes as soon as somebody cannot be reached.
 */
import type { DowningStrategy } from './downing-strategy.ts'

export function downAll(): DowningStrategy {
  return {
    decide: () => 'DownAll',
    decideTangle: () => 'DownAll',
    // No side ever goes on without another: whoever says that the node is a member has not gone on without it.
    weigh: ({ self, electorate, answered, left }) => {
      const others = electorate.filter(({ node }) => node !== self)
      const isThere = (nodes: ReadonlySet<string>): boolean =>
        others.length === 0 || others.some(({ node }) => nodes.has(node))
      return isThere(answered) ? 'vouched' : isThere(left) ? 'open' : 'hopeless'
    },
  }
}
