/** Writes of durable states that share a statement, and what statements of streams have in common with them. */
import { CodedError } from '../../../foundation/coded-error.ts'
import { judgeStateWrite } from '../../durable-states.ts'
import type { StreamNumbers } from './postgres-append.ts'
import { byteaArray, int4Array, int8Array } from './postgres-arrays.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import type { PostgresValue } from './postgres-driver.ts'
import type { PostgresSlices } from './postgres-schema.ts'
import type { PostgresStatements } from './postgres-statements.ts'
import type { Of, PostgresWrite } from './postgres-write.ts'

export interface PostgresCommitParts {
  readonly connection: PostgresConnection
  readonly statements: PostgresStatements
  readonly slices: PostgresSlices
  readonly numbers: StreamNumbers
  /** What was found out about it. */
  readonly engine: { canAppendAll: boolean }
}

/** Of several that follow each other only the last one is stored, and all of them are. */
export async function writeStates(
  parts: PostgresCommitParts,
  given: readonly PostgresWrite[],
): Promise<void> {
  for (let open = given; open.length > 0;) {
    const chains = new Map<string, PostgresWrite[]>()
    for (const write of open) {
      const { persistenceId } = (write.request as Of<'WriteState'>).write
      const chain = chains.get(persistenceId)
      if (chain === undefined) chains.set(persistenceId, [write])
      else chain.push(write)
    }
    const rows = await parts.connection.run(
      parts.statements.write_state,
      stateValues(parts, chains),
    )
    const written = new Set(rows.map(([id]) => textOf(id)))
    const refused = [...chains].filter(([id]) => !written.has(id))
    for (const id of written) {
      for (const write of chains.get(id) ?? []) {
        const { revision } = (write.request as Of<'WriteState'>).write
        write.decide({ type: 'StateWritten', revision })
      }
    }
    open = refused.length === 0 ? [] : await judgedStates(parts, refused)
  }
}

function stateValues(
  parts: PostgresCommitParts,
  chains: ReadonlyMap<string, readonly PostgresWrite[]>,
): PostgresValue[] {
  const firsts = [...chains.values()].map((chain) => (chain[0]!.request as Of<'WriteState'>).write)
  const lasts = [...chains.values()].map(
    (chain) => (chain.at(-1)!.request as Of<'WriteState'>).write,
  )
  return [
    byteaArray(firsts.map(({ persistenceId }) => Buffer.from(persistenceId))),
    int8Array(firsts.map(({ epoch }) => epoch)),
    int8Array(firsts.map(({ expectedRevision }) => expectedRevision)),
    int8Array(lasts.map(({ revision }) => revision)),
    int4Array(lasts.map(({ bytes }) => (bytes === undefined ? 1 : 0))),
    byteaArray(lasts.map(({ bytes = noBytes }) => bytes)),
    lanesOf(
      parts,
      [...chains.values()].map(([first]) => first!.slice),
    ),
  ]
}

async function judgedStates(
  parts: PostgresCommitParts,
  chains: readonly (readonly [string, readonly PostgresWrite[]])[],
): Promise<PostgresWrite[]> {
  const ids = byteaArray(chains.map(([id]) => Buffer.from(id)))
  const rows = await parts.connection.run(parts.statements.states, [ids])
  const stored = new Map(
    rows.map(([id, epoch, writer, revision]) => [
      textOf(id),
      { epoch: epoch as number, writer: textOf(writer), revision: revision as number },
    ]),
  )
  return chains.flatMap(([id, chain]) => {
    const first = chain.findIndex((write) => {
      try {
        const result = judgeStateWrite(stored.get(id), (write.request as Of<'WriteState'>).write)
        if (result.type === 'StateWritten') return true
        write.decide(result)
      } catch (error) {
        write.refuse(ownMistake(error))
      }
      return false
    })
    return first < 0 ? [] : chain.slice(first)
  })
}

/** Each once. */
export function lanesOf(parts: PostgresCommitParts, slices: readonly number[]): Buffer {
  return int4Array([...new Set(slices.map((slice) => parts.slices.laneOf(slice)))])
}

const noBytes = Buffer.alloc(0)

export function textOf(bytes: unknown): string {
  return (bytes as Buffer).toString()
}

/** What a rule threw; anything else is a mistake of ours. */
export function ownMistake(error: unknown): Error {
  if (error instanceof CodedError) return error
  throw error
}
