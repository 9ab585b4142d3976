/**
 * A database in which commits of certain events wait until a test lets them go: the slow transaction that any store may have,
 * at a moment that the test chooses. Also what tests ask the server about its connections.
 */
import { Client } from 'pg'
import { expect, vi } from 'vitest'
import { query } from './postgres-server.ts'

/** Of this many bytes are the events that wait. */
export const heldText = 'held'

export class HeldCommits {
  readonly #client: Client

  private constructor(client: Client) {
    this.#client = client
  }

  /** From now on. The tables must be there. */
  static async start(url: string): Promise<HeldCommits> {
    await query(
      url,
      `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NULL; END $$`,
    )
    await query(
      url,
      `CREATE CONSTRAINT TRIGGER hold AFTER INSERT ON sherd_events DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW WHEN (NEW.bytes = '${heldText}'::bytea) EXECUTE FUNCTION hold()`,
    )
    const client = new Client({ connectionString: url })
    client.on('error', () => undefined)
    await client.connect()
    await client.query('SELECT pg_advisory_lock(7)')
    return new HeldCommits(client)
  }

  /** All that wait, and all that come. */
  async release(): Promise<void> {
    await this.#client.end()
  }
}

/** Resolves when that many statements of journals wait for a lock. */
export async function waiting(url: string, count: number): Promise<void> {
  const text = `SELECT count(*)::int AS count FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'sherd' AND wait_event_type = 'Lock'`
  await vi.waitFor(async () => expect((await query(url, text))[0]?.['count']).toBe(count), {
    timeout: 20_000,
  })
}

/** Ends the connections of journals that wait for a lock, or all of them. Resolves when they are gone. */
export async function terminate(url: string, which: 'waiting' | 'all'): Promise<void> {
  const only = which === 'waiting' ? `AND wait_event_type = 'Lock'` : ''
  const ended = await query(
    url,
    `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'sherd' ${only}`,
  )
  const pids = ended.map(({ pid }) => Number(pid))
  const left = 'SELECT pid FROM pg_stat_activity WHERE pid = ANY($1::int4[])'
  await vi.waitFor(async () => expect(await query(url, left, [pids])).toEqual([]), {
    timeout: 20_000,
  })
}
