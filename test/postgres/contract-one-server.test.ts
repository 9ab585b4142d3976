import { postgresContract } from './contract.ts'

postgresContract('PostgresJournal', { count: 1, settings: {} })
