/** The port for chance: whom to gossip with, jitter, incarnation numbers. */
export interface Random {
  /** A float in [0, 1). */
  float(): number
  /** A whole number in [0, bound). `bound` is a positive safe integer up to 2^32. */
  below(bound: number): number
  /** A number of 64 bits, for identities that must never repeat. */
  uid(): bigint
}
