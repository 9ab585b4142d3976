/** What goes wrong between values and bytes: a value that cannot travel, bytes that are no value, a name nobody knows. */
import { CodedError } from '../foundation/coded-error.ts'

/** The value was refused before anything was written. `path` is the place in it, such as `message.items[3].onClick`. */
export class CannotSerialize extends CodedError {
  readonly code = 'CANNOT_SERIALIZE'
  readonly path: string

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`${path} ${reason}`, options)
    this.path = path
  }
}

/** The bytes were refused. `offset` is where in them; nothing of the value was handed out. */
export class CannotDeserialize extends CodedError {
  readonly code = 'CANNOT_DESERIALIZE'
  readonly reason: string
  readonly offset: number
  /** True when the two ends may no longer agree about records: the connection has to be closed. */
  readonly breaksConnection: boolean

  constructor(
    reason: string,
    where: {
      readonly offset: number
      readonly breaksConnection?: boolean
      readonly cause?: unknown
    },
  ) {
    super(`Cannot read the value at byte ${where.offset}: ${reason}`, { cause: where.cause })
    this.reason = reason
    this.offset = where.offset
    this.breaksConnection = where.breaksConnection ?? false
  }
}
