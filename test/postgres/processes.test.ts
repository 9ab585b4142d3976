import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PostgresJournal, type StoredEvent } from '../../src/persistence/index.ts'
import { readAll, readEvents, textOf } from '../../src/testkit/journal-contract/journal-texts.ts'
import { SteadyRandom } from '../../src/testkit/steady-random.ts'
import { Writer } from '../contracts/lmdb-processes.ts'
import { printFigures } from '../figures.ts'
import { cases } from '../how-long.ts'
import { compiledFile } from '../processes/harness/compiled.ts'
import { PostgresServer } from './postgres-server.ts'

const writerFile = compiledFile(new URL('./postgres-writer.ts', import.meta.url))

let server: PostgresServer
beforeAll(async () => {
  server = await PostgresServer.start()
})
afterAll(() => server.stop())

function start(url: string, name: string, streams: number): Writer {
  return new Writer(url, name, streams, 0, writerFile)
}

/** Everything acknowledged is there, under its number; numbers have no gaps; epochs never fall; pairs are whole. */
async function expectWhole(
  url: string,
  writers: readonly Writer[],
): Promise<Readonly<Record<string, number>>> {
  const journal = await PostgresJournal.open({ url })
  const stored = new Map<string, StoredEvent[]>()
  for (const event of await readAll(journal)) {
    const stream = stored.get(event.persistenceId) ?? []
    stored.set(event.persistenceId, stream)
    expect(event.sequenceNr).toBe(stream.length + 1)
    expect(event.epoch).toBeGreaterThanOrEqual(stream.at(-1)?.epoch ?? 0)
    stream.push(event)
  }
  const textAt = (id: string, index: number): string | undefined => {
    const event = stored.get(id)?.[index]
    return event && textOf(event.bytes)
  }
  for (const [id, events] of stored) {
    const texts = (list: readonly StoredEvent[]): string[] => list.map(({ bytes }) => textOf(bytes))
    expect(texts(await readEvents(journal, id))).toEqual(texts(events))
    for (let i = 0; i < events.length; i += 2) {
      expect(textAt(id, i + 1)).toBe(`${textAt(id, i)}+`)
    }
  }
  const lines = writers.flatMap((writer) => writer.lines)
  for (const line of lines) {
    const [id = '', number, text] = line.split(' ')
    expect(id, 'a writer that was not fenced knows its last event').not.toBe('conflict')
    expect(textAt(id, Number(number) - 1)).toBe(text)
  }
  await journal.close()
  const takeovers = [...stored.values()].reduce((sum, list) => sum + epochsOf(list) - 1, 0)
  return { acknowledged: lines.length, takeovers, lost: 0, doubled: 0 }
}

function epochsOf(events: readonly StoredEvent[]): number {
  return new Set(events.map(({ epoch }) => epoch)).size
}

describe('processes that share a PostgreSQL store', () => {
  test('never both write the same stream, though they fight for it and are stopped in between', async () => {
    const url = await server.newDatabase()
    const writers = ['a', 'b'].map((name) => start(url, name, 2))
    const random = new SteadyRandom('stopped')
    const rounds = cases({ short: 6, full: 100 })
    for (let round = 0; round < rounds; round++) {
      const stopped = writers[random.below(2)]!
      const other = writers.find((writer) => writer !== stopped)!
      stopped.signal('SIGSTOP')
      await other.acknowledgedMore(5)
      stopped.signal('SIGCONT')
      await stopped.acknowledgedMore(1)
    }
    await Promise.all(writers.map((writer) => writer.kill()))
    const figures = await expectWhole(url, writers)
    printFigures('two writers stopped at random', { rounds, ...figures })
  })

  test('lose nothing that was acknowledged when they are killed', async () => {
    const url = await server.newDatabase()
    const all: Writer[] = []
    const rounds = cases({ short: 2, full: 100 })
    for (let round = 0; round < rounds; round++) {
      const writers = ['a', 'b'].map((name) => start(url, `${name}${round}`, 4))
      all.push(...writers)
      await Promise.all(writers.map((writer) => writer.acknowledged(10)))
      await Promise.all(writers.map((writer) => writer.kill()))
    }
    printFigures('writers killed', { rounds, ...(await expectWhole(url, all)) })
  })

  test('lose nothing that was acknowledged when the server is killed, and go on', async () => {
    const url = await server.newDatabase()
    const writers = ['a', 'b'].map((name) => start(url, name, 8))
    const rounds = cases({ short: 2, full: 20 })
    for (let round = 0; round < rounds; round++) {
      await Promise.all(writers.map((writer) => writer.acknowledgedMore(10)))
      await server.killServer()
      await server.startAgain()
    }
    await Promise.all(writers.map((writer) => writer.acknowledgedMore(10)))
    await Promise.all(writers.map((writer) => writer.kill()))
    printFigures('the server killed', { rounds, ...(await expectWhole(url, writers)) })
  })
})
