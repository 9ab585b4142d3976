/** What users of journals can do wrong, or meet. Each says what happened, and what to look at. */
import { CodedError } from '../foundation/coded-error.ts'
import type { Grant } from '../foundation/grant.ts'
import { show } from '../foundation/show.ts'

export class InvalidPersistenceId extends CodedError {
  readonly code = 'INVALID_PERSISTENCE_ID'
  readonly persistenceId: unknown

  constructor(persistenceId: unknown, problem: string) {
    super(`${show(persistenceId)} cannot be a persistence id: ${problem}.`)
    this.persistenceId = persistenceId
  }
}

/** A call that no store could serve. */
export class InvalidJournalCall extends CodedError {
  readonly code = 'INVALID_JOURNAL_CALL'
}

/** What a tagger gave cannot be stored as tags. */
export class InvalidTags extends CodedError {
  readonly code = 'INVALID_TAGS'
  readonly persistenceId: string

  constructor(persistenceId: string, problem: string) {
    super(
      `The tags of an event of ${show(persistenceId)} are refused: ${problem}. A tagger must give a short list of short names.`,
    )
    this.persistenceId = persistenceId
  }
}

export class EventTooLarge extends CodedError {
  readonly code = 'EVENT_TOO_LARGE'
  readonly persistenceId: string
  readonly bytes: number

  constructor(persistenceId: string, bytes: number, bytesMax: number) {
    super(
      `An event of ${show(persistenceId)} has ${bytes} bytes, and eventBytesMax is ${bytesMax}. Store what changed instead of the whole state, or raise the setting.`,
    )
    this.persistenceId = persistenceId
    this.bytes = bytes
  }
}

/** A snapshot, or a durable state. */
export class StateTooLarge extends CodedError {
  readonly code = 'STATE_TOO_LARGE'
  readonly persistenceId: string
  readonly bytes: number

  constructor(persistenceId: string, bytes: number, bytesMax: number) {
    super(
      `The state of ${show(persistenceId)} has ${bytes} bytes, and stateBytesMax is ${bytesMax}. Divide it into several entities, or raise the setting.`,
    )
    this.persistenceId = persistenceId
    this.bytes = bytes
  }
}

/**
 * Somebody claims under a lease that has been granted to another since, whose claims the store has seen. Nothing was claimed. Who
 * acts under the newer grant goes on; the lease of this one is lost.
 */
export class ClaimFenced extends CodedError {
  readonly code = 'CLAIM_FENCED'
  readonly persistenceId: string
  readonly grant: Grant
  /** The greatest that was seen. */
  readonly byToken: number

  constructor(persistenceId: string, grant: Grant, byToken: number) {
    super(
      `${show(persistenceId)} cannot be claimed under token ${grant.token} of the lease ${show(grant.name)}: the store has seen token ${byToken}, so another holds the lease now. If its tokens were made to begin anew, stop all nodes and have the store forget them (sherd remove-sharding-data).`,
    )
    this.persistenceId = persistenceId
    this.grant = grant
    this.byToken = byToken
  }
}

/** Nothing was stored, and the reason may pass. */
export class JournalUnavailable extends CodedError {
  readonly code = 'JOURNAL_UNAVAILABLE'
}

/** Nobody can tell whether the events were stored. The writer must stop; the next one learns it by reading. */
export class JournalOutcomeUnknown extends CodedError {
  readonly code = 'JOURNAL_OUTCOME_UNKNOWN'
}

export class JournalClosed extends CodedError {
  readonly code = 'JOURNAL_CLOSED'

  constructor() {
    super('The journal is closed. Its node is shutting down, or close() was called too early.')
  }
}

/** The folder cannot hold a journal. */
export class JournalFolderUnusable extends CodedError {
  readonly code = 'JOURNAL_FOLDER_UNUSABLE'
  readonly folder: string

  constructor(folder: string, problem: string, cause?: unknown) {
    super(`The journal cannot use the folder ${folder}: ${problem}.`, { cause })
    this.folder = folder
  }
}

/** The files of the store were deleted, moved or replaced under this process. Nothing was stored, nor will be. */
export class JournalFolderLost extends CodedError {
  readonly code = 'JOURNAL_FOLDER_LOST'
  readonly folder: string

  constructor(folder: string, file: string) {
    super(
      `${file} in ${folder} is no longer the file that this process has open: somebody has deleted, moved or replaced it. Nothing more is written. Stop all nodes that use the folder, put it back or restore it from a copy, and start them again.`,
    )
    this.folder = folder
  }
}

/** The store was made by another version of Sherd, or by something else. */
export class JournalFormatMismatch extends CodedError {
  readonly code = 'JOURNAL_FORMAT_MISMATCH'
  readonly folder: string

  constructor(folder: string, found: string, expected: string) {
    super(
      `The folder ${folder} holds ${found}; this version of Sherd reads ${expected}. Use the version that wrote it, or another folder.`,
    )
    this.folder = folder
  }
}

/** What was read contradicts itself. Nothing is repaired: restore the store from a copy. */
export class JournalCorrupted extends CodedError {
  readonly code = 'JOURNAL_CORRUPTED'
  /** Of the snapshot that is damaged; undefined when it is something else. */
  readonly sequenceNr: number | undefined

  constructor(where: string, problem: string, cause?: unknown, sequenceNr?: number) {
    super(
      `The journal in ${where} is damaged: ${problem}. Restore it from a copy; do not go on writing.`,
      { cause },
    )
    this.sequenceNr = sequenceNr
  }
}
