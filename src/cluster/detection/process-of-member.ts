/**
 * The process that a member runs in, as others can look at it: an attribute of the member, so that it travels with it. Where
 * the system cannot tell which process that is, there is none, and nobody can prove its end.
 */
import type { HostProcess } from '../../foundation/host-process.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import { areOnOneHost } from '../../foundation/process-identity.ts'
import type { Member } from '../gossip/member.ts'
import type { LookAtProcesses, ProcessesSeen } from './process-watch-inputs.ts'

const prefix = 'process '

export function attributeOfProcess(identity: string): string {
  return `${prefix}${identity}`
}

export function processOf({ attributes }: Pick<Member, 'attributes'>): string | undefined {
  return attributes.find((attribute) => attribute.startsWith(prefix))?.slice(prefix.length)
}

/** The members that run on the same host as this process, and not in it, with their processes. */
export function neighboursOf(
  identity: string,
  members: readonly Member[],
): ReadonlyMap<NodeId, string> {
  const neighbours = new Map<NodeId, string>()
  for (const member of members) {
    const its = processOf(member)
    if (its === undefined || its === identity) continue
    if (areOnOneHost(identity, its)) neighbours.set(member.node, its)
  }
  return neighbours
}

export function lookAtProcesses(
  host: Pick<HostProcess, 'isGone' | 'isRunning'>,
  { processes }: LookAtProcesses,
): ProcessesSeen {
  const ended: NodeId[] = []
  const running: NodeId[] = []
  const unknown: NodeId[] = []
  for (const [node, identity] of processes) {
    if (host.isGone(identity)) ended.push(node)
    else (host.isRunning(identity) ? running : unknown).push(node)
  }
  return { type: 'ProcessesSeen', ended, running, unknown }
}
