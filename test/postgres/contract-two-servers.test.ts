import { postgresContract } from './contract.ts'

postgresContract('PostgresJournal on two servers, with several connections, a little at a time', {
  count: 2,
  settings: { writeConnections: 2, readEventsMax: 40 },
})
