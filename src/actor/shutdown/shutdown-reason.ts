/**
 * Why a system shuts down, and with which code its process ends for that. Whatever else runs on the system and may end it
 * declares its own reasons, each with an exit code.
 */

/** Why actors, the process or the user shut a system down. */
export type ActorShutdownReason =
  | { readonly type: 'actor-system-terminate' }
  /** The operator asked the process to end. */
  | { readonly type: 'signal'; readonly signal: 'SIGTERM' | 'SIGINT' }
  /** An assertion failed: a confused system does harm, so it ends. */
  | { readonly type: 'broken-invariant' }
  /** An error or a rejection that nobody caught: nobody knows what state it has left behind. */
  | { readonly type: 'escaped-error' }
  /** Whatever the user has to say. */
  | { readonly type: 'user'; readonly text: string }

/** Why a system shuts down; its tasks are told. One of `ActorShutdownReason`, or what another part of the runtime declares. */
export interface ShutdownReason {
  readonly type: ActorShutdownReason['type'] | (string & NonNullable<unknown>)
  readonly signal?: 'SIGTERM' | 'SIGINT'
  readonly text?: string
}

const exitCodes: Readonly<Record<ActorShutdownReason['type'], number>> = {
  'actor-system-terminate': 0,
  signal: 0,
  'broken-invariant': -1,
  'escaped-error': -1,
  user: 0,
}

/**
 * The exit code of the process, as given with the reason or else by it: 0, or -1 when the end was not wanted, so that whoever
 * runs it starts it again. Undefined for what is no reason: plain JavaScript may hand us anything.
 */
export function exitCodeOf(reason: unknown, given?: number): number | undefined {
  if (typeof reason !== 'object' || reason === null || !('type' in reason)) return undefined
  const { type } = reason
  if (typeof type !== 'string') return undefined
  return given ?? new Map<string, number>(Object.entries(exitCodes)).get(type)
}

/** The reason on one line, for the log. */
export function showReason({ type, signal, text }: ShutdownReason): string {
  return signal ?? text ?? type
}
