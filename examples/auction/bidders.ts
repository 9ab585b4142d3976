/**
 * People who bid over HTTP. A request that gets no answer is sent again, with the same id and perhaps to another process: the
 * money may be held already, but not twice.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Server } from './processes.ts'

export interface Look {
  readonly balance: number
  readonly held: number
}

export interface Shown {
  readonly isClosed: boolean
  readonly bids: number
  readonly offer?: { readonly seller: string; readonly closesAt: number }
  readonly highest?: { readonly bidder: string; readonly amount: number }
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

const patienceMs = 60_000
const restMs = 100

export class Client {
  readonly #servers: () => readonly Server[]
  sentAgain = 0

  constructor(servers: () => readonly Server[]) {
    this.#servers = servers
  }

  /** Until it is answered: by what was asked for, or by a no. */
  async send(method: string, path: string, body?: object): Promise<Answer> {
    const deadlineMs = Date.now() + patienceMs
    for (;;) {
      const servers = this.#servers()
      const server = servers[Math.floor(Math.random() * servers.length)]
      const answer = server && (await once(server.http + path, method, body))
      if (answer !== undefined && answer.status < 500) return answer
      if (Date.now() > deadlineMs) throw new Error(`${method} ${path} was never answered`)
      this.sentAgain++
      await pause(restMs)
    }
  }

  async get<Body>(path: string): Promise<Body> {
    const { body } = await this.send('GET', path)
    return body as Body
  }
}

async function once(url: string, method: string, body?: object): Promise<Answer | undefined> {
  try {
    const response = await fetch(url, {
      method,
      signal: AbortSignal.timeout(10_000),
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json().catch(() => undefined) }
  } catch {
    return undefined
  }
}

export interface Tally {
  bids: number
  refused: number
}

/** Bids until every auction is over. */
export async function bidUntilClosed(
  client: Client,
  bidder: string,
  auctions: readonly string[],
): Promise<Tally> {
  const tally = { bids: 0, refused: 0 }
  let open = auctions
  while (open.length > 0) {
    const auction = open[Math.floor(Math.random() * open.length)]!
    const { isClosed, highest, offer } = await client.get<Shown>(`/auctions/${auction}`)
    if (isClosed || Date.now() >= (offer?.closesAt ?? 0)) {
      open = open.filter((each) => each !== auction)
      continue
    }
    if (highest?.bidder !== bidder) {
      const amount = (highest?.amount ?? 0) + 1 + Math.floor(Math.random() * 20)
      const id = `${bidder}-${++tally.bids}`
      const bid = { id, bidder, amount }
      const { status, body } = await client.send('POST', `/auctions/${auction}/bids`, bid)
      const { standing } = (body ?? {}) as { standing?: string }
      if (status !== 200 || standing === 'refused') tally.refused++
    }
    await pause(20)
  }
  return tally
}
