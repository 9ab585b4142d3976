/**
 * The part of a view that is not out of date. What a member said before it was cut off stays in the table, and read as
 * news it makes a clean split look like a tangle: an observer that has not seen the current gossip, and that somebody
 * who has cannot reach, speaks of former times.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import type { SplitView } from './split-view.ts'

export function currentView(view: SplitView): SplitView {
  const { records, seenBy } = view
  const witnessed = records.filter(({ observer }) => seenBy.has(observer))
  const cutOff = new Set(witnessed.map(({ subject }) => subject))
  const isStale = (observer: NodeId) => cutOff.has(observer) && !seenBy.has(observer)
  const kept = records.filter(({ observer }) => !isStale(observer))
  if (kept.length === records.length) return view

  const known = new Set(kept.map(({ subject }) => subject))
  const onlyOnce = new Set(records.map(({ subject }) => subject).filter((node) => !known.has(node)))
  const unreachable = new Set([...view.unreachable].filter((node) => !onlyOnce.has(node)))
  return { ...view, records: kept, unreachable }
}
