import { afterAll, beforeAll } from 'vitest'
import { PostgresJournal } from '../../src/persistence/index.ts'
import { splitDecisions } from '../contracts/split-decisions.ts'
import { postgresForTests, type TestDatabases } from './postgres-server.ts'

let server: TestDatabases
beforeAll(async () => {
  server = await postgresForTests()
})
afterAll(() => server.stop())

splitDecisions({
  name: 'PostgreSQL',
  newStore: async () => {
    const url = await server.newDatabase()
    const opened: PostgresJournal[] = []
    return {
      open: async () => {
        const journal = await PostgresJournal.open({ url })
        opened.push(journal)
        return journal
      },
      remove: async () => {
        for (const journal of opened) await journal.close()
      },
    }
  },
})
