/** A story as lines: `12.040 s  node b  Account/alice  withdraw(70)  ->  persisted Withdrawn(70) #4  ->  answered 30`. */

/** Something that happened, to be told in a line. */
export interface StoryEntry {
  /** Grows with everything that is told. */
  readonly order: number
  readonly timeUs: number
  /** The life it happened in, such as `b#1`; empty when it was none. */
  readonly node: string
  /** The entity, `Account/alice`; empty when it was none. */
  readonly who: string
  inWords(): string
}

/** Longer names do not push the others aside. */
const nameLengthMax = 40

/** In the order they are given. */
export function linesOf(entries: readonly StoryEntry[]): string[] {
  const width = Math.min(nameLengthMax, Math.max(0, ...entries.map(({ who }) => who.length)))
  const nodes = entries.map(({ node }) => (node === '' ? '' : `node ${nodeName(node)}`))
  const nodeWidth = Math.max(0, ...nodes.map((node) => node.length))
  return entries.map((entry, index) => {
    const { timeUs, who } = entry
    const place = [
      ...(nodeWidth > 0 ? [(nodes[index] as string).padEnd(nodeWidth)] : []),
      ...(who === '' ? [] : [who.padEnd(width)]),
    ]
    return [shownTime(timeUs).padStart(12), ...place, entry.inWords()].join('  ')
  })
}

export function shownTime(timeUs: number): string {
  return `${(timeUs / 1_000_000).toFixed(3)} s`
}

/** `b` for the first life of a node, `b#2` for the second. */
export function nodeName(label: string): string {
  return label.replace(/#1$/, '')
}
