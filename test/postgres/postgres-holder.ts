/** A process that starts a PostgreSQL server, says where, and never ends by itself: `node test/postgres/postgres-holder.js`. */
import { PostgresServer } from './postgres-server.ts'

const server = await PostgresServer.start()
if (process.argv.includes('--killed')) await server.killServer()
const { pid = 0, folder, url } = server
console.log(JSON.stringify({ pid, folder, url }))
setInterval(() => undefined, 60_000)
