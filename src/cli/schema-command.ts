/** `sherd schema`: the tables of the PostgreSQL store as SQL, for those who make them by hand. */
import { postgresSchemaSql } from '../persistence/index.ts'
import { UsageError } from './cli-errors.ts'
import type { Command } from './command.ts'

const help = `sherd schema [--schema NAME]

Prints the SQL that makes the tables of a PostgreSQL store. Nodes make them by themselves where they
may; where they may not, run this once in every database, and give nodes createSchema: false.

  --schema NAME  the PostgreSQL schema to make them in; that of the connection when left out`

export const schemaCommand: Command = {
  name: 'schema',
  summary: 'prints the SQL that makes the tables of a PostgreSQL store',
  help,
  options: { schema: 'text' },

  async run(options, terminal) {
    if (options.rest.length > 0) throw new UsageError('The name of a schema goes behind --schema.')
    await terminal.print(postgresSchemaSql({ schema: options.text('schema') }).trimEnd())
    return 0
  },
}
