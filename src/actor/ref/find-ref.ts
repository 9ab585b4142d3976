/** Finds an actor of this process by its path, for those who know only its text. */
import type { Cell } from '../cell/cell.ts'
import type { InternalRef } from './actor-ref.ts'

/** The name under which the message adapters of an actor are addressed. */
const adapterName = '$adapter'

/** Who lives under these names below `top`; with a `uid` other than 0 only that very actor. */
export function findRef(top: Cell, names: readonly string[], uid: number): InternalRef | undefined {
  let cell = top
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1
    if (isLast && name === adapterName) return cell.stateIfAny?.adapters?.ref
    const child = cell.stateIfAny?.children?.get(name)
    if (child?.cell === undefined) return undefined
    cell = child.cell
  }
  return uid === 0 || cell.ref.uid === uid ? cell.ref : undefined
}
