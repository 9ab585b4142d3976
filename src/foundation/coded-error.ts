/**
 * The base of every error that a user can meet. `code` is stable across versions and safe to branch on; the message
 * says what happened and what to look at; data is in fields.
 */
export abstract class CodedError extends Error {
  abstract readonly code: string

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}
