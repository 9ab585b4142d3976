/** The error of a node that was never Up, by how its cluster ended for it. */
import type { NodeId } from '../../foundation/node-id.ts'
import type { ClusterEnd } from '../cluster-actor.ts'
import { ClusterElsewhere, IncompatibleSettings, JoinFailed, NeverUp } from '../cluster-errors.ts'
import type { JoiningSnapshot } from './joining-inputs.ts'

export interface NeverUpStory {
  readonly reason: ClusterEnd
  readonly problems: readonly string[]
  readonly joining: Pick<JoiningSnapshot, 'seeds' | 'troubles' | 'founder'>
}

export function whyNeverUp(
  self: NodeId,
  { reason, problems, joining: { seeds, troubles, founder } }: NeverUpStory,
): JoinFailed | IncompatibleSettings | ClusterElsewhere | NeverUp {
  switch (reason) {
    case 'join-failed':
      return new JoinFailed(self, seeds, [...new Set([...troubles, ...problems])], founder)
    case 'incompatible-config':
      return new IncompatibleSettings(self, problems)
    case 'cluster-elsewhere':
      return new ClusterElsewhere(self, problems)
    case 'leaving':
      return NeverUp.stopped(self)
    default:
      return NeverUp.givenUp(self)
  }
}
