/** Places in the product that the spine scenario must come to under a few hundred seeds. */
export const places = {
  frozenWrite: 'a frozen node refuses a write',
  frozenClaim: 'a frozen node refuses a claim',
  superseded: 'a shard that lives elsewhere by now is stopped',
  thawed: 'a shard delivers what waited for the thaw',
  restarted: 'an entity starts again for what came while it stopped',
  forced: 'entities are forced to stop in a hand-off',
  forcedRest: 'an entity is forced to rest',
  hurried: 'an entity that is slow to stop is hurried',
  handOffOver: 'a hand-off is given up',
  homeDied: 'a home dies before its shard has stopped',
  unackedDied: 'a region dies before it has acknowledged a hand-off',
  balanced: 'shards move for balance',
  returned: 'a message comes back from a former home',
  overrun: 'a leaving region runs out of time',
  failedWrite: 'a write fails, and what depended on it is discarded',
  failedAmidBatch: 'a write fails while more is gathered for the next one',
  late: 'a command goes on after its entity had to stop',
} as const

/** Guards against what, as far as we know, cannot come to pass: whoever gets there has found something. */
const defended: ReadonlySet<string> = new Set([places.superseded, places.frozenClaim])

/** Too rare under the load of the spine: another scenario is made for each. */
const elsewhere: ReadonlySet<string> = new Set([
  places.failedAmidBatch,
  places.homeDied,
  places.unackedDied,
])

/** Those, and what the checkers count. */
export const spinePlaces: readonly string[] = [
  ...Object.values(places).filter((place) => !defended.has(place) && !elsewhere.has(place)),
  'a node freezes: minority',
  'a node freezes: paused',
  'a node thaws',
  'a message is given up: overtaken',
  'a message is given up: hand-off-timeout',
  'a message is given up: region-stopped',
  'the store refuses a write: Fenced',
]

/** What hardships bring about. */
export const hardshipPlaces: readonly string[] = [
  'a node freezes: minority',
  'a node freezes: paused',
  'a node thaws',
  'a message is given up: former-incarnation',
]
