/** Why a system shuts down, and with which code its process ends for that. */

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
  /** An error or a rejection that nobody caught: nobody knows what state it has left behind. */
  | { readonly type: 'escaped-error' }
  /** Whatever the user has to say. */
  | { readonly type: 'user'; readonly text: string }

const exitCodes: Readonly<Record<ShutdownReason['type'], number>> = {
  'actor-system-terminate': 0,
  signal: 0,
  leaving: 0,
  downing: -1,
  'join-failed': -1,
  'incompatible-config': 0,
  'broken-invariant': -1,
  'escaped-error': -1,
  user: 0,
}

/** The exit code of the process: 0, or -1 when the end was not wanted, so that whoever runs it starts it again. */
export function exitCodeOf(reason: ShutdownReason): number {
  return exitCodes[reason.type]
}

/** Plain JavaScript may hand us anything. */
export function isShutdownReason(value: unknown): value is ShutdownReason {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false
  return typeof value.type === 'string' && Object.hasOwn(exitCodes, value.type)
}

/** The reason on one line, for the log. */
export function showReason(reason: ShutdownReason): string {
  if (reason.type === 'signal') return reason.signal
  return reason.type === 'user' ? reason.text : reason.type
}
