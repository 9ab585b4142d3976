/** What a copy tool puts into the store: looked at and put there in one transaction, by the rules that all stores have. */
import type { StoredState } from '../../durable-states.ts'
import { InvalidJournalCall } from '../../persistence-errors.ts'
import { sliceOf } from '../../persistence-id.ts'
import type { StoredRegister } from '../../registers.ts'
import {
  problemWithPlace,
  problemWithRegisterPlace,
  problemWithStatePlace,
  type StreamPlace,
} from '../../store-transfer.ts'
import { streamOf } from './postgres-commit.ts'
import type { PostgresStatements } from './postgres-statements.ts'
import type { Place } from './postgres-write.ts'

export function placeStream(statements: PostgresStatements, place: StreamPlace): Place {
  const { persistenceId, epoch, writer, deletedSequenceNr, startSequenceNr } = place
  const id = Buffer.from(persistenceId)
  return (connection) =>
    connection.transaction(async (run) => {
      const [row] = await run(statements.lock_stream, [id])
      refuse(problemWithPlace(row && streamOf(row), place))
      const numbers = [deletedSequenceNr, startSequenceNr]
      const values = [id, sliceOf(persistenceId), epoch, Buffer.from(writer), ...numbers]
      await run(statements.place_stream, values)
    })
}

export function placeState(statements: PostgresStatements, state: StoredState): Place {
  const { persistenceId, epoch, writer, revision, bytes } = state
  const id = Buffer.from(persistenceId)
  return (connection) =>
    connection.transaction(async (run) => {
      const [row] = await run(statements.lock_state, [id])
      const present = row && {
        persistenceId,
        epoch: row[0] as number,
        writer: String(row[1]),
        revision: row[2] as number,
        bytes: undefined,
      }
      refuse(problemWithStatePlace(present, state))
      const slice = sliceOf(persistenceId)
      const values = [id, slice, epoch, Buffer.from(writer), revision, bytes ?? null]
      await run(statements.place_state, values)
    })
}

export function placeRegister(
  statements: PostgresStatements,
  { name, revision, bytes }: StoredRegister & { readonly name: string },
): Place {
  const key = Buffer.from(name)
  return (connection) =>
    connection.transaction(async (run) => {
      const [row] = await run(statements.lock_register, [key])
      const present = row && { revision: row[0] as number, bytes: row[1] as Buffer }
      refuse(problemWithRegisterPlace(name, present, { revision, bytes }))
      await run(statements.place_register, [key, bytes, revision])
    })
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw new InvalidJournalCall(problem)
}
