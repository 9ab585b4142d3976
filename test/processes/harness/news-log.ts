/**
 * What one process has told, in order, and waits for what it will tell. A wait looks at what was told already, from the
 * beginning or from a mark on, so news that came early is not missed.
 */
import type { News } from './control-messages.ts'
import { NothingCame, patienceMs } from './patience.ts'

/** News kept per process; the oldest are forgotten. */
const newsMax = 50_000

export interface NewsWait {
  /** Where to begin, from `mark`. */
  readonly from?: number
  readonly withinMs?: number
}

type Listener = (news: News | undefined) => void

export class NewsLog {
  readonly #owner: string
  readonly #listeners = new Set<Listener>()
  #kept: News[] = []
  #forgotten = 0
  #end: string | undefined

  constructor(owner: string) {
    this.#owner = owner
  }

  /** All that is kept, from that mark on. */
  since(mark = 0): readonly News[] {
    return this.#kept.slice(Math.max(0, mark - this.#forgotten))
  }

  /** Where the next news will stand. */
  get mark(): number {
    return this.#forgotten + this.#kept.length
  }

  add(news: News): void {
    this.#kept.push(news)
    if (this.#kept.length > newsMax) {
      this.#forgotten += newsMax / 2
      this.#kept = this.#kept.slice(newsMax / 2)
    }
    for (const listener of [...this.#listeners]) listener(news)
  }

  /** Nothing more will come, and why. */
  close(why: string): void {
    this.#end ??= why
    for (const listener of [...this.#listeners]) listener(undefined)
  }

  /** The first news of this type, with these fields, from the mark on. Waits for it; fails by name. */
  async next(
    type: string,
    fields: Readonly<Record<string, unknown>> = {},
    wait: NewsWait = {},
  ): Promise<News> {
    const what = Object.keys(fields).length === 0 ? type : `${type} ${JSON.stringify(fields)}`
    return this.find(what, (news) => news.type === type && hasFields(news, fields), wait)
  }

  find(what: string, isMeant: (news: News) => boolean, wait: NewsWait = {}): Promise<News> {
    const told = this.since(wait.from).find(isMeant)
    if (told !== undefined) return Promise.resolve(told)
    return new Promise((resolve, reject) => {
      const limitMs = wait.withinMs ?? patienceMs
      const stop = (): void => {
        clearTimeout(timer)
        this.#listeners.delete(listener)
      }
      const fail = (why: string): void => {
        stop()
        reject(new NothingCame(`${this.#owner} did not tell ${what}: ${why}`))
      }
      const listener: Listener = (news) => {
        if (news === undefined) return fail(this.#end ?? 'it ended')
        if (!isMeant(news)) return
        stop()
        resolve(news)
      }
      const timer = setTimeout(() => fail(`waited ${limitMs} ms`), limitMs)
      this.#listeners.add(listener)
      if (this.#end !== undefined) fail(this.#end)
    })
  }
}

function hasFields(news: News, fields: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(fields).every(([name, value]) => news[name] === value)
}
