/**
 * The logger of one node: every line says by its field `node` who speaks, since the lines of many nodes end up in one place.
 * What is said before the node has an address names where it is to listen.
 */
import type { LogFields, Logger } from '../foundation/logger.ts'
import { withFields } from '../foundation/with-fields.ts'

export class NodeLogger implements Logger {
  readonly #logger: Logger
  readonly #nameOf: () => string

  /** `nameOf` is asked for every line. */
  constructor(logger: Logger, nameOf: () => string) {
    this.#logger = logger
    this.#nameOf = nameOf
  }

  trace(fields: LogFields, message: string): void {
    this.#logger.trace({ node: this.#nameOf(), ...fields }, message)
  }

  debug(fields: LogFields, message: string): void {
    this.#logger.debug({ node: this.#nameOf(), ...fields }, message)
  }

  info(fields: LogFields, message: string): void {
    this.#logger.info({ node: this.#nameOf(), ...fields }, message)
  }

  warn(fields: LogFields, message: string): void {
    this.#logger.warn({ node: this.#nameOf(), ...fields }, message)
  }

  error(fields: LogFields, message: string): void {
    this.#logger.error({ node: this.#nameOf(), ...fields }, message)
  }

  child(fields: LogFields): Logger {
    return new NodeLogger(withFields(this.#logger, fields), this.#nameOf)
  }
}
