/** What can be wrong with a PostgreSQL store before anything is stored in it. Each says what happened, and what to do. */
import { CodedError } from '../../../foundation/coded-error.ts'

/** The package `pg` is not installed: it is needed for this store only. */
export class PostgresDriverMissing extends CodedError {
  readonly code = 'POSTGRES_DRIVER_MISSING'

  constructor(cause: unknown) {
    super(
      'The PostgreSQL store needs the package "pg", which is not installed here. Run: npm install pg',
      { cause },
    )
  }
}

/** The server cannot be reached, does not let us in, or lets us do too little. */
export class PostgresUnusable extends CodedError {
  readonly code = 'POSTGRES_UNUSABLE'
  /** Where, without the password. */
  readonly place: string
  /** What the server said, such as 28P01; undefined when it said nothing. */
  readonly sqlState: string | undefined

  constructor(
    place: string,
    problem: string,
    { sqlState, cause }: { readonly sqlState?: string | undefined; readonly cause?: unknown } = {},
  ) {
    super(`The journal cannot use PostgreSQL at ${place}: ${problem}`, { cause })
    this.place = place
    this.sqlState = sqlState
  }
}

/** The tables were made by another version of Sherd. */
export class PostgresSchemaMismatch extends CodedError {
  readonly code = 'POSTGRES_SCHEMA_MISMATCH'
  readonly found: number
  readonly expected: number

  constructor(place: string, found: number, expected: number) {
    const advice =
      found > expected
        ? 'Use the version of Sherd that made them, or a newer one'
        : 'No way leads from there to here: use the version of Sherd that made them'
    super(
      `The tables of Sherd at ${place} have schema version ${found}; this version of Sherd uses ${expected}. ${advice}, or give this cluster another schema or database.`,
    )
    this.found = found
    this.expected = expected
  }
}

/** The list of servers is not the one that the store was made with. */
export class PostgresPartitionMismatch extends CodedError {
  readonly code = 'POSTGRES_PARTITION_MISMATCH'
  readonly place: string

  constructor(place: string, given: string, stored: string) {
    super(
      `The server at ${place} was given as ${given}, and its tables say that it is ${stored}. Nothing was changed. Give url and partitions in the order and number that the store was made with, each server once.`,
    )
    this.place = place
  }
}
