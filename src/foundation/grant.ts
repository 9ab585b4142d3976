/**
 * That somebody was given a lease: its name, and its fence token, which grows with every grant of the name. Whoever has seen a
 * greater one refuses what is done under this one.
 */
export interface Grant {
  readonly name: string
  /** From 1. */
  readonly token: number
}
