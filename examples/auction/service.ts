/** The auctions over HTTP. Any process may get any request: it calls the entities wherever they live. */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { CallError, CommandFailed, type SherdNode } from '../../src/index.ts'
import { Auction } from './auction.ts'
import { runErrands } from './errands.ts'
import { House, theHouse } from './house.ts'
import { Wallet } from './wallet.ts'

interface ById {
  readonly Params: { readonly id: string }
}

const text = { type: 'string', minLength: 1, maxLength: 100 }
const amount = { type: 'integer', minimum: 1, maximum: 1_000_000_000 }
const body = (properties: object, ...required: readonly string[]) => ({
  schema: { body: { type: 'object', properties, required } },
})

export function serviceOf(node: SherdNode): FastifyInstance {
  const app = Fastify({ forceCloseConnections: 'idle' })
  addWallets(app, node)
  addAuctions(app, node)
  addFeed(app, node)
  app.get('/health/ready', async (_request, reply) =>
    reply.code(node.cluster.isFrozen ? 503 : 200).send(),
  )
  app.setErrorHandler(async (error, _request, reply) => {
    const { status, code, message } = answerTo(error)
    return reply.code(status).send({ code, message })
  })
  return app
}

function addWallets(app: FastifyInstance, node: SherdNode): void {
  app.post<ById & { Body: { name: string; amount: number } }>(
    '/wallets/:id/deposits',
    body({ name: text, amount }, 'name', 'amount'),
    async ({ params, body: { name, amount: coins } }) => {
      const wallet = node.entity(Wallet, params.id)
      await wallet.payIn(name, coins)
      return wallet.look()
    },
  )
  app.get<ById>('/wallets/:id', async ({ params }) => node.entity(Wallet, params.id).look())
}

function addAuctions(app: FastifyInstance, node: SherdNode): void {
  app.get('/auctions', async () => node.entity(House, theHouse).underWay())
  app.put<ById & { Body: { seller: string; item: string; closesAt: number } }>(
    '/auctions/:id',
    body({ seller: text, item: text, closesAt: { type: 'integer' } }, 'seller', 'item', 'closesAt'),
    async ({ params, body: { seller, item, closesAt } }) => {
      // Listed first: an auction that is open and not listed would never be closed.
      await node.entity(House, theHouse).list(params.id)
      const auction = node.entity(Auction, params.id)
      await auction.open({ seller, item, closesAt })
      return auction.show()
    },
  )
  app.get<ById>('/auctions/:id', async ({ params }) => node.entity(Auction, params.id).show())
  app.post<ById & { Body: { id?: string; bidder: string; amount: number } }>(
    '/auctions/:id/bids',
    body({ id: text, bidder: text, amount }, 'bidder', 'amount'),
    async ({ params, body: { id = randomUUID(), bidder, amount: coins } }) => {
      const auction = node.entity(Auction, params.id)
      await auction.bid({ id, bidder, amount: coins })
      await runErrands(node, params.id)
      return { id, standing: await auction.standing(id) }
    },
  )
}

/** Server-sent events: what an auction looks like, whenever that has changed. */
function addFeed(app: FastifyInstance, node: SherdNode): void {
  const streams = new Set<AbortController>()
  app.addHook('preClose', async () => streams.forEach((stream) => stream.abort()))
  app.get<ById>('/auctions/:id/feed', async (request, reply) => {
    const stream = new AbortController()
    streams.add(stream)
    request.raw.on('close', () => stream.abort())
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    let latest = ''
    try {
      while (!stream.signal.aborted) {
        const shown = JSON.stringify(await node.entity(Auction, request.params.id).show())
        if (shown !== latest) reply.raw.write(`data: ${(latest = shown)}\n\n`)
        await pause(250, undefined, { signal: stream.signal })
      }
    } catch {
      // The node is busy elsewhere, or the browser has gone: it connects again by itself.
    } finally {
      streams.delete(stream)
      reply.raw.end()
    }
  })
}

/** What a command says no with. Any other failure of a command is a mistake in it: sent again, it would fail again. */
const refusals: ReadonlyMap<string, number> = new Map([
  ['NO_SUCH_AUCTION', 404],
  ['BID_TOO_LOW', 409],
  ['AUCTION_CLOSED', 409],
])
const passing: ReadonlySet<string> = new Set(['ENTITY_UNAVAILABLE', 'NODE_STOPPING', 'NOT_STORED'])

function answerTo(error: unknown): { status: number; code: string; message: string } {
  if (error instanceof CommandFailed) {
    const { errorCode = '', message } = error
    const status = refusals.get(errorCode)
    if (status !== undefined) return { status, code: errorCode, message }
  }
  // 503: nothing has happened. 504: nobody can tell; the same request, with the same id, is safe to send again.
  if (error instanceof CallError) {
    const { mayHaveHappened, code, message } = error
    if (mayHaveHappened) return { status: 504, code, message }
    if (passing.has(code)) return { status: 503, code, message }
  }
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number') {
    return { status: error.statusCode, code: 'BAD_REQUEST', message: error.message }
  }
  return { status: 500, code: 'INTERNAL', message: 'see the log' }
}
