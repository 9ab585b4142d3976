/** Why messages to a singleton are lost on their way. */

/** Why a message to a singleton is dropped on purpose. */
export type SingletonDroppedReason =
  /** It waited for a singleton whose place is not known, and more came after it than may wait. */
  'singleton-buffer-full'
