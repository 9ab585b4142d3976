/**
 * Every statement that the store is used by, as text for one set of tables. Each is complete in itself and is a transaction of
 * its own, unless it says otherwise: it decides on rows that it has locked, so it is right whatever others do, and harmless to
 * repeat after it failed.
 * Those that lock rows of several streams lock their lanes first, in one order, so that no two of them wait for each other.
 */
import type { PostgresTables } from './postgres-schema.ts'

/** The driver prepares it once for each connection, by its name. */
export interface PostgresStatement {
  readonly name: string
  readonly text: string
  /** Does no harm when it has taken effect once already and nobody knows: a second claim is only a newer one. */
  readonly mayRepeat: boolean
}

export type PostgresStatements = ReturnType<typeof statementsFor>

const repeatable: ReadonlySet<string> = new Set([
  ...['claim', 'claim_state', 'claim_granted', 'claim_state_granted'],
  ...['delete_to', 'save_snapshot', 'delete_snapshots', 'scrubbed', 'put_token'],
])

export function statementsFor(tables: PostgresTables) {
  const reading = { ...readingTexts(tables), ...sliceTexts(tables) }
  const texts = { ...writingTexts(tables), ...stateTexts(tables), ...reading }
  const named = Object.entries(texts).map(([name, text]) => {
    const mayRepeat = name in reading || repeatable.has(name)
    return [name, { name: `sherd_${name}`, text, mayRepeat }]
  })
  return Object.fromEntries(named) as Readonly<Record<keyof typeof texts, PostgresStatement>>
}

/** `$n`: the lanes. To be referred to, or the server leaves it out. */
function locked({ lanes }: PostgresTables, n: number): string {
  return `locked AS MATERIALIZED (SELECT lane FROM ${lanes} WHERE lane = ANY($${n}::int4[]) ORDER BY lane FOR UPDATE)`
}

const isLocked = '(SELECT count(*) FROM locked) > 0'

/**
 * Each row of a table that grows is looked up by its key. As a plain equality the server could also join by reading the whole
 * index, which it plans where its statistics are of a time with few rows, and keeps doing when there are many.
 */
function byKey(column: string, given: string): string {
  return `${column} = ANY (ARRAY[${given}])`
}

/**
 * All or nothing, so that the caller can say where each event goes: only the numbers that the lanes give are added here, and what
 * the log gets are parts of the caller's own lists. Where any stream is refused it fails by a text that is no number.
 * $1..$3 for each lane: lane, how many events it gets, place of the first of them; $4..$8 for each stream: number, id, epoch,
 * expected number, count of events; $9..$13 for each event, lane by lane: number of its stream, its own, epoch, lane, bytes;
 * $14..$16 for each tag: place of its event, place in its event, bytes.
 */
function appendAllText(tables: PostgresTables, { hasTags }: Record<'hasTags', boolean>): string {
  const { streams, events, log } = tables
  const partOf = (n: number): string => `($${n}::int8[])[c.start : c.start + c.total - 1]`
  return `WITH ${locked(tables, 1)},
${countedPart(tables)}, fenced AS (
  UPDATE ${streams} s SET highest = s.highest + g.count
  FROM unnest($4::int8[], $5::bytea[], $6::int8[], $7::int8[], $8::int4[]) AS g (number, id, epoch, expected, count)
  WHERE ${byKey('s.number', 'g.number')} AND s.id IS NOT DISTINCT FROM g.id
    AND s.epoch = g.epoch AND s.highest = g.expected AND ${isLocked}
  RETURNING s.number
), placed AS ${hasTags ? 'MATERIALIZED ' : ''}(
  SELECT e.at, e.stream, e.seq, e.epoch, e.lane, c.before + e.at - c.start + 1 AS ord, e.bytes
  FROM unnest($9::int8[], $10::int8[], $11::int8[], $12::int4[], $13::bytea[])
    WITH ORDINALITY AS e (stream, seq, epoch, lane, bytes, at)
  JOIN counted c ON c.lane = e.lane
), ${hasTags ? taggedParts(tables, 14) : ''}stored AS (
  INSERT INTO ${events} (stream, seq, epoch, ord, tags, bytes)
  SELECT p.stream, p.seq, p.epoch, p.ord, ${hasTags ? 't.tags' : 'NULL'}, p.bytes
  FROM placed p${hasTags ? ' LEFT JOIN tagged t ON t.at = p.at' : ''}
), logged AS (
  INSERT INTO ${log} (lane, ord, first, live, streams, seqs)
  SELECT c.lane, c.last, c.before + 1, c.total, ${partOf(9)}, ${partOf(10)} FROM counted c
)
SELECT CASE WHEN count(*) = cardinality($4::int8[]) THEN 0
  ELSE ('sherd stores nothing of this: only ' || count(*) || ' streams are as expected')::int4 END FROM fenced`
}

/** $1 lanes, $2 how many events each gets, $3 place of the first of them. */
function countedPart({ lanes }: PostgresTables): string {
  return `counted AS (
  UPDATE ${lanes} l SET last = l.last + t.total
  FROM unnest($1::int4[], $2::int4[], $3::int4[]) AS t (lane, total, start) JOIN locked ON locked.lane = t.lane
  WHERE l.lane = t.lane RETURNING l.lane, l.last, l.last - t.total AS before, t.total, t.start
)`
}

/**
 * As far as streams are as expected. $1..$5 for each stream: id, epoch, expected number, count of events, lane; $6, $7 for each lane: how many events it gets;
 * $8..$10 for each event: place of its stream in $1, place in its stream, bytes; $11..$13 for each tag: place of its event in
 * $8, place in its event, bytes. Answers the places of streams that were refused.
 */
function appendText(
  tables: PostgresTables,
  { hasTags, ends }: Record<'hasTags' | 'ends', boolean>,
): string {
  const { lanes, streams, events, log } = tables
  const end = ', deleted = s.highest, start = s.highest'
  return `WITH given AS MATERIALIZED (
  SELECT * FROM unnest($1::bytea[], $2::int8[], $3::int8[], $4::int4[], $5::int4[])
    WITH ORDINALITY AS g (id, epoch, expected, count, lane, n)
), ${locked(tables, 6)},
counted AS (
  UPDATE ${lanes} l SET last = l.last + t.total
  FROM unnest($6::int4[], $7::int4[]) AS t (lane, total) JOIN locked ON locked.lane = t.lane
  WHERE l.lane = t.lane RETURNING l.lane, l.last, l.last - t.total AS before
), fenced AS (
  UPDATE ${streams} s SET highest = s.highest + g.count${ends ? end : ''}
  FROM given g JOIN counted c ON c.lane = g.lane
  WHERE ${byKey('s.id', 'g.id')} AND s.epoch = g.epoch AND s.highest = g.expected
  RETURNING g.n, s.number, s.epoch, g.expected, g.lane, c.last, c.before
), placed AS MATERIALIZED (
  SELECT e.at, f.number AS stream, f.expected + e.nth AS seq, f.epoch, f.lane, f.last, f.before, e.bytes,
    f.before + row_number() OVER (PARTITION BY f.lane ORDER BY e.at) AS ord
  FROM unnest($8::int4[], $9::int4[], $10::bytea[]) WITH ORDINALITY AS e (n, nth, bytes, at)
  JOIN fenced f ON f.n = e.n
), ${hasTags ? taggedParts(tables, 11) : ''}${ends ? endedPart(tables) : ''}stored AS (
  INSERT INTO ${events} (stream, seq, epoch, ord, tags, bytes)
  SELECT p.stream, p.seq, p.epoch, p.ord, ${hasTags ? 't.tags' : 'NULL'}, p.bytes
  FROM placed p${hasTags ? ' LEFT JOIN tagged t ON t.at = p.at' : ''}
), logged AS (
  INSERT INTO ${log} (lane, ord, first, live, streams, seqs)
  SELECT p.lane, p.last, p.before + 1, count(*), array_agg(p.stream ORDER BY p.at), array_agg(p.seq ORDER BY p.at)
  FROM placed p GROUP BY p.lane, p.last, p.before
)
SELECT g.n FROM given g WHERE g.n NOT IN (SELECT n FROM fenced)`
}

/** From `$n` on the tags. */
function taggedParts({ tags }: PostgresTables, n: number): string {
  return `tag AS MATERIALIZED (
  SELECT * FROM unnest($${n}::int4[], $${n + 1}::int4[], $${n + 2}::bytea[]) AS t (at, nth, tag)
), tagged AS MATERIALIZED (
  SELECT at, array_agg(tag ORDER BY nth) AS tags FROM tag GROUP BY at
), listed AS (
  INSERT INTO ${tags} (tag, lane, ord, stream, seq)
  SELECT t.tag, p.lane, p.ord, p.stream, p.seq FROM tag t JOIN placed p ON p.at = t.at
), `
}

function endedPart({ snapshots }: PostgresTables): string {
  return `ended AS (
  DELETE FROM ${snapshots} t USING fenced f WHERE t.stream = f.number
), `
}

/** A table with claims, and what a claim answers of its row. */
interface Claimed {
  readonly table: string
  readonly columns: string
}

function claimedStream({ streams }: PostgresTables): Claimed {
  return { table: streams, columns: 's.id, s.epoch, s.highest, s.deleted, s.start, s.number' }
}

function claimedState({ states }: PostgresTables): Claimed {
  return { table: states, columns: 's.id, s.epoch, s.revision, s.bytes' }
}

/** $1 ids, $2 slices, $3 writers, $4 lanes. */
function claimText(tables: PostgresTables, { table, columns }: Claimed): string {
  return `WITH ${locked(tables, 4)}
INSERT INTO ${table} AS s (id, slice, epoch, writer)
SELECT g.id, g.slice, 1, g.writer FROM unnest($1::bytea[], $2::int4[], $3::bytea[]) AS g (id, slice, writer)
WHERE ${isLocked}
ON CONFLICT (id) DO UPDATE SET epoch = s.epoch + 1, writer = excluded.writer
RETURNING ${columns}`
}

/**
 * $1 ids, $2 slices, $3 writers, $4 lanes, $5 and $6 for each claim: register of its grant, token; $7 and $8 for each register,
 * in the order of their names, behind the lanes: its name, the greatest token given. Each register is written in any case, so
 * that it is locked and what comes back is what stands there: claims whose token is not that are left out.
 */
function grantedClaimText(tables: PostgresTables, { table, columns }: Claimed): string {
  return `WITH ${locked(tables, 4)}, seen AS (
  INSERT INTO ${tables.registers} AS r (name, revision, bytes)
  SELECT g.name, 1, g.token FROM unnest($7::bytea[], $8::bytea[]) AS g (name, token) WHERE ${isLocked} ORDER BY g.name
  ON CONFLICT (name) DO UPDATE SET bytes = GREATEST(r.bytes, excluded.bytes),
    revision = CASE WHEN r.bytes < excluded.bytes THEN r.revision + 1 ELSE r.revision END
  RETURNING r.name, r.bytes
)
INSERT INTO ${table} AS s (id, slice, epoch, writer)
SELECT g.id, g.slice, 1, g.writer
FROM unnest($1::bytea[], $2::int4[], $3::bytea[], $5::bytea[], $6::bytea[]) AS g (id, slice, writer, name, token)
JOIN seen ON seen.name = g.name AND seen.bytes = g.token
ON CONFLICT (id) DO UPDATE SET epoch = s.epoch + 1, writer = excluded.writer
RETURNING ${columns}`
}

function writingTexts(tables: PostgresTables) {
  const { lanes, streams, snapshots } = tables
  return {
    append_all: appendAllText(tables, { hasTags: false }),
    append_all_tagged: appendAllText(tables, { hasTags: true }),
    append: appendText(tables, { hasTags: false, ends: false }),
    append_tagged: appendText(tables, { hasTags: true, ends: false }),
    end: appendText(tables, { hasTags: false, ends: true }),
    end_tagged: appendText(tables, { hasTags: true, ends: true }),

    claim: claimText(tables, claimedStream(tables)),
    claim_granted: grantedClaimText(tables, claimedStream(tables)),

    /** $1 id, $2 epoch, $3 number. */
    delete_to: `UPDATE ${streams} SET deleted = GREATEST(deleted, $3::int8)
WHERE id = $1 AND epoch = $2::int8 AND highest >= $3::int8 RETURNING deleted`,

    /** $1 id, $2 epoch, $3 number, $4 time, $5 bytes. */
    save_snapshot: `WITH s AS (
  SELECT number FROM ${streams}
  WHERE id = $1 AND epoch = $2::int8 AND highest >= $3::int8 AND start < $3::int8 FOR UPDATE
)
INSERT INTO ${snapshots} AS t (stream, seq, saved_at, bytes) SELECT number, $3::int8, $4::int8, $5::bytea FROM s
ON CONFLICT (stream, seq) DO UPDATE SET saved_at = excluded.saved_at, bytes = excluded.bytes
RETURNING t.seq`,

    /** $1 id, $2 epoch, $3 and $4 numbers, $5 time. Answers a row if this writer may. */
    delete_snapshots: `WITH s AS (
  SELECT number FROM ${streams} WHERE id = $1 AND epoch = $2::int8 FOR UPDATE
), gone AS (
  DELETE FROM ${snapshots} t USING s
  WHERE t.stream = s.number AND t.seq BETWEEN $3::int8 AND $4::int8 AND t.saved_at <= $5::int8
)
SELECT number FROM s`,

    /** $1 lanes. In a transaction, before a statement that has to see what others did under the same locks. */
    lock_lanes: `SELECT lane FROM ${lanes} WHERE lane = ANY($1::int4[]) ORDER BY lane FOR UPDATE`,

    scrub: scrubText(tables),

    /** $1 number of the stream, $2 the number that all of it up to is gone. */
    scrubbed: `UPDATE ${streams} SET scrubbed = GREATEST(scrubbed, $2::int8) WHERE number = $1::int8`,

    /** For transfers, in a transaction. */
    lock_stream: `SELECT epoch, writer, highest, deleted, start FROM ${streams} WHERE id = $1 FOR UPDATE`,

    /** $1 id, $2 slice, $3 epoch, $4 writer, $5 deleted, $6 start. */
    place_stream: `INSERT INTO ${streams} AS s (id, slice, epoch, writer, highest, deleted, start, scrubbed)
VALUES ($1, $2::int4, $3::int8, $4, $5::int8, $5::int8, $6::int8, $5::int8)
ON CONFLICT (id) DO UPDATE SET epoch = excluded.epoch, writer = excluded.writer,
  highest = GREATEST(s.highest, excluded.highest), deleted = excluded.deleted, start = excluded.start,
  scrubbed = GREATEST(s.scrubbed, excluded.scrubbed)`,
  }
}

/**
 * $1 number of the stream, $2 up to which number its events go, $3 how many at once, $4 its lane, which is locked. Takes them out
 * of the log as well, in which a commit that has none left has no row.
 */
function scrubText(tables: PostgresTables): string {
  const { events, tags, log } = tables
  return `WITH doomed AS MATERIALIZED (
  SELECT seq FROM ${events} WHERE stream = $1::int8 AND seq <= $2::int8 ORDER BY seq LIMIT $3::int4
), gone AS (
  DELETE FROM ${events} e USING doomed d WHERE e.stream = $1::int8 AND e.seq = d.seq RETURNING e.ord, e.tags
), untagged AS (
  DELETE FROM ${tags} t
  USING (SELECT g.ord, x.tag FROM gone g CROSS JOIN LATERAL unnest(g.tags) AS x (tag)) d
  WHERE t.tag = d.tag AND t.lane = ANY($4::int4[]) AND t.ord = d.ord
), entries AS MATERIALIZED (
  SELECT r.lane, r.ord, count(*) AS n FROM gone g CROSS JOIN LATERAL (
    SELECT l.lane, l.ord FROM ${log} l WHERE l.lane = ANY($4::int4[]) AND l.ord >= g.ord ORDER BY l.ord LIMIT 1
  ) r GROUP BY r.lane, r.ord
), fewer AS (
  UPDATE ${log} l SET live = l.live - e.n FROM entries e
  WHERE l.lane = e.lane AND l.ord = e.ord AND l.live > e.n
), none AS (
  DELETE FROM ${log} l USING entries e WHERE l.lane = e.lane AND l.ord = e.ord AND l.live <= e.n
)
SELECT count(*) FROM gone`
}

function stateTexts(tables: PostgresTables) {
  const { states, registers } = tables
  return {
    claim_state: claimText(tables, claimedState(tables)),
    claim_state_granted: grantedClaimText(tables, claimedState(tables)),

    /** $1 ids, $2 epochs, $3 expected revisions, $4 revisions, $5 whether it goes, $6 bytes, $7 lanes. Answers the ids written. */
    write_state: `WITH ${locked(tables, 7)}
UPDATE ${states} s SET revision = g.revision, bytes = CASE WHEN g.goes = 1 THEN NULL ELSE g.bytes END
FROM unnest($1::bytea[], $2::int8[], $3::int8[], $4::int8[], $5::int4[], $6::bytea[])
  AS g (id, epoch, expected, revision, goes, bytes)
WHERE ${byKey('s.id', 'g.id')} AND s.epoch = g.epoch AND s.revision = g.expected AND ${isLocked}
RETURNING s.id`,

    lock_state: `SELECT epoch, writer, revision, bytes FROM ${states} WHERE id = $1 FOR UPDATE`,

    /** $1 id, $2 slice, $3 epoch, $4 writer, $5 revision, $6 bytes. */
    place_state: `INSERT INTO ${states} (id, slice, epoch, writer, revision, bytes)
VALUES ($1, $2::int4, $3::int8, $4, $5::int8, $6::bytea)
ON CONFLICT (id) DO UPDATE SET epoch = excluded.epoch, writer = excluded.writer,
  revision = excluded.revision, bytes = excluded.bytes`,

    /** $1 name, $2 bytes. */
    first_register: `INSERT INTO ${registers} (name, revision, bytes) VALUES ($1, 1, $2::bytea)
ON CONFLICT (name) DO NOTHING RETURNING revision`,

    /** $1 name, $2 bytes. */
    put_token: `UPDATE ${registers} SET revision = revision + 1, bytes = $2::bytea WHERE name = $1`,

    /** $1 name, $2 bytes, $3 expected revision. */
    next_register: `UPDATE ${registers} SET revision = revision + 1, bytes = $2::bytea
WHERE name = $1 AND revision = $3::int8 RETURNING revision`,

    lock_register: `SELECT revision, bytes FROM ${registers} WHERE name = $1 FOR UPDATE`,

    /** $1 name, $2 bytes, $3 revision. */
    place_register: `INSERT INTO ${registers} (name, revision, bytes) VALUES ($1, $3::int8, $2::bytea)
ON CONFLICT (name) DO UPDATE SET revision = excluded.revision, bytes = excluded.bytes`,
  }
}

function readingTexts({ streams, events, snapshots, states, registers }: PostgresTables) {
  /** $1 from, $2 after, $3 before, $4 how many. */
  const ids = (table: string): string => `SELECT id FROM ${table}
WHERE id >= $1::bytea AND id > $2::bytea AND ($3::bytea IS NULL OR id < $3::bytea) ORDER BY id LIMIT $4::int4`
  return {
    streams: `SELECT id, epoch, writer, highest, deleted, start, number FROM ${streams} WHERE id = ANY($1::bytea[])`,
    states: `SELECT id, epoch, writer, revision FROM ${states} WHERE id = ANY($1::bytea[])`,

    /** $1 id, $2 and $3 numbers, $4 how many, $5 how many bytes. */
    read: `SELECT seq, epoch, tags, bytes FROM (
  SELECT e.seq, e.epoch, e.tags, e.bytes, sum(octet_length(e.bytes)) OVER (ORDER BY e.seq) - octet_length(e.bytes) AS before
  FROM (
    SELECT e.seq, e.epoch, e.tags, e.bytes FROM ${events} e
    JOIN ${streams} s ON s.number = e.stream
    WHERE s.id = $1 AND e.seq > s.deleted AND e.seq BETWEEN $2::int8 AND $3::int8 ORDER BY e.seq LIMIT $4::int4
  ) e
) e WHERE before < $5::int8 ORDER BY seq`,

    /** $1 id, $2 and $3 numbers, $4 time. None of before the stream was ended, also where one was on its way meanwhile. */
    load_snapshot: `SELECT t.seq, t.saved_at, t.bytes FROM ${snapshots} t JOIN ${streams} s ON s.number = t.stream
WHERE s.id = $1 AND t.seq > s.start AND t.seq BETWEEN $2::int8 AND $3::int8 AND t.saved_at <= $4::int8 ORDER BY t.seq DESC LIMIT 1`,

    read_state: `SELECT epoch, writer, revision, bytes FROM ${states} WHERE id = $1`,
    read_register: `SELECT revision, bytes FROM ${registers} WHERE name = $1`,

    /** $1 after, $2 how many. */
    register_names: `SELECT name FROM ${registers} WHERE name > $1::bytea ORDER BY name LIMIT $2::int4`,

    /** $1 names. */
    tokens: `SELECT name, bytes FROM ${registers} WHERE name = ANY($1::bytea[])`,

    /** $1 from, $2 before. */
    registers_between: `SELECT name, bytes FROM ${registers} WHERE name >= $1::bytea AND name < $2::bytea`,

    stream_ids: ids(streams),
    state_ids: ids(states),

    /** One whose deleted events are still there. */
    unscrubbed: `SELECT number, slice, deleted FROM ${streams} WHERE scrubbed < deleted ORDER BY number LIMIT 1`,
  }
}

function sliceTexts({ streams, events, lanes, log, tags }: PostgresTables) {
  return {
    /**
     * $1 lanes, $2 after which numbers, $3 how many events of each lane, at least one commit. A row for every lane: how far it
     * is. In one snapshot, so that nothing is missing up to there.
     */
    log: `SELECT g.lane, l.last, r.ord, r.first, r.streams, r.seqs
FROM unnest($1::int4[], $2::int8[]) AS g (lane, after) JOIN ${lanes} l ON l.lane = g.lane
LEFT JOIN LATERAL (
  SELECT w.ord, w.first, w.streams, w.seqs FROM (
    SELECT r.ord, r.first, r.streams, r.seqs, sum(cardinality(r.seqs)) OVER (ORDER BY r.ord) - cardinality(r.seqs) AS before
    FROM (SELECT * FROM ${log} c WHERE c.lane = g.lane AND c.ord > g.after ORDER BY c.ord LIMIT $3::int4) r
  ) w WHERE w.before < $3::int8
) r ON true ORDER BY g.lane, r.ord`,

    /** $1 lanes, $2 after which numbers, $3 how many, $4 the tag. */
    tagged: `SELECT g.lane, l.last, r.ord, r.stream, r.seq
FROM unnest($1::int4[], $2::int8[]) AS g (lane, after) JOIN ${lanes} l ON l.lane = g.lane
LEFT JOIN LATERAL (
  SELECT t.ord, t.stream, t.seq FROM ${tags} t
  WHERE t.tag = $4::bytea AND t.lane = g.lane AND t.ord > g.after ORDER BY t.ord LIMIT $3::int4
) r ON true ORDER BY g.lane, r.ord`,

    /** $1 streams, $2 numbers, $3 how many bytes, $4 and $5 slices. Those that are there, each with its place in $1. */
    events: `SELECT n, id, slice, seq, epoch, ord, tags, bytes FROM (
  SELECT g.n, s.id, s.slice, e.seq, e.epoch, e.ord, e.tags, e.bytes,
    sum(octet_length(e.bytes)) OVER (ORDER BY g.n) - octet_length(e.bytes) AS before
  FROM unnest($1::int8[], $2::int8[]) WITH ORDINALITY AS g (stream, seq, n)
  JOIN ${events} e ON e.stream = g.stream AND e.seq = g.seq
  JOIN ${streams} s ON s.number = g.stream
  WHERE e.seq > s.deleted AND s.slice BETWEEN $4::int4 AND $5::int4
) e WHERE before < $3::int8 ORDER BY n`,
  }
}
