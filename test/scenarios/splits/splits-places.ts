/** Places in the product that the scenario of splits must come to under a hundred seeds. */
export const places = {
  claimed: 'a small side claims to go on',
  givenUp: 'the store gives a member up',
  last: 'the last one goes on alone',
} as const

export const splitsPlaces: readonly string[] = [
  ...Object.values(places),
  'a node freezes: store',
  'a node freezes: minority',
  'a node freezes: paused',
  'a node ends: downing',
]
