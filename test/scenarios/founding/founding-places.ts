/** Places in the product that the founding scenario must come to under a few hundred seeds. */
export const places = {
  elsewhere: 'a process without seeds finds a cluster and does not start',
  foundAlone: 'a process without seeds founds a cluster',
  foundAgain: 'a cluster is founded anew',
} as const

export const foundingPlaces: readonly string[] = [
  ...Object.values(places),
  'a node freezes: founding',
  'a node freezes: minority',
  'a node freezes: paused',
  'a node ends: succeeded',
  'a node ends: downing',
]
