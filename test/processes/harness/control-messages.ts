/**
 * What a test and the processes it started say to each other, over Node's IPC channel: questions down, answers and news
 * up. Everything here is plain data that survives a structured clone.
 */

/** Test -> process: call this method. */
export interface Request {
  readonly id: number
  readonly method: string
  readonly args: readonly unknown[]
}

/** Process -> test: what the method answered. */
export interface Answer {
  readonly type: 'Answer'
  readonly id: number
  readonly value: unknown
}

/** Process -> test: the method failed. */
export interface Failure {
  readonly type: 'Failure'
  readonly id: number
  readonly error: ErrorInWords
}

/** Process -> test: something happened, told without being asked. */
export interface NewsMessage {
  readonly type: 'News'
  readonly news: News
}

export type FromProcess = Answer | Failure | NewsMessage

export interface ErrorInWords {
  readonly name: string
  readonly code: string
  readonly message: string
  /** Of calls to entities: false when the command surely had no effect. */
  readonly mayHaveHappened: boolean
}

/** Something that happened in a node: `type` says what, the other fields say it more exactly. */
export interface News {
  readonly type: string
  readonly [field: string]: unknown
}

/** The method of every process that starts its node; its one argument are the options. */
export const startMethod = 'start'

export function errorInWords(error: unknown): ErrorInWords {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  const fields = error as { readonly code?: unknown; readonly mayHaveHappened?: unknown } | null
  const code = typeof fields?.code === 'string' ? fields.code : ''
  return { name, code, message, mayHaveHappened: fields?.mayHaveHappened !== false }
}
