/** Why a system shuts down, and with which code its process ends for that. */
import { unreachable } from '../../foundation/assert.ts'

/** Why a system shuts down; its tasks are told. */
export type ShutdownReason =
  | { readonly type: 'actor-system-terminate' }
  /** The operator asked the process to end. */
  | { readonly type: 'signal'; readonly signal: 'SIGTERM' | 'SIGINT' }
  /** This node left the cluster, by its own wish or on request. */
  | { readonly type: 'leaving' }
  /** The cluster decided to go on without this node, or this node decided against itself. */
  | { readonly type: 'downing' }
  | { readonly type: 'join-failed' }
  /** The cluster that was to be joined has settings that do not go together with ours. */
  | { readonly type: 'incompatible-config' }
  /** An assertion failed: a confused node does harm, so it leaves. */
  | { readonly type: 'broken-invariant' }
  /** Whatever the user has to say. */
  | { readonly type: 'user'; readonly text: string }

/** The exit code of the process: 0, or -1 when the end was not wanted, so that whoever runs it starts it again. */
export function exitCodeOf(reason: ShutdownReason): number {
  switch (reason.type) {
    case 'downing':
    case 'join-failed':
    case 'broken-invariant':
      return -1
    case 'actor-system-terminate':
    case 'signal':
    case 'leaving':
    case 'incompatible-config':
    case 'user':
      return 0
    default:
      return unreachable(reason)
  }
}

/** The reason on one line, for the log. */
export function showReason(reason: ShutdownReason): string {
  if (reason.type === 'signal') return reason.signal
  return reason.type === 'user' ? reason.text : reason.type
}
