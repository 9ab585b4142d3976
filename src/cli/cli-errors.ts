/** What can be wrong with a command line, or with what it names. Each says what to do. */
import { CodedError } from '../foundation/coded-error.ts'

/** The words make no command. */
export class UsageError extends CodedError {
  readonly code = 'USAGE'
}

export class StoreMissing extends CodedError {
  readonly code = 'STORE_MISSING'

  constructor(folder: string) {
    super(
      `There is no store in the folder ${folder}. Look at the path: it is the one that nodes get as store: { folder }, './sherd-data' when they get none.`,
    )
  }
}

/** A store is in use, and would change while it is copied. */
export class NodesRun extends CodedError {
  readonly code = 'NODES_RUN'

  constructor(problem: string) {
    super(
      `${problem}. A store is copied while no node uses it: stop all nodes of both stores, then start the copy again.`,
    )
  }
}
