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

/** A store is in use, and would change while it is copied, or while something is removed from it. */
export class NodesRun extends CodedError {
  readonly code = 'NODES_RUN'

  constructor(problem: string) {
    super(
      `${problem}. This is done while no node uses a store: stop all nodes of every store that is named, then start it again.`,
    )
  }
}

/** What is to be removed is not there, cannot be, or is in use. */
export class RemovalRefused extends CodedError {
  readonly code = 'REMOVAL_REFUSED'
}
