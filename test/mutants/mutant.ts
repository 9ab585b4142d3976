/** What a seeded bug is, and how it is applied. */
export interface Mutant {
  /** What the bug is, and who had it. */
  readonly why: string
  readonly edits: readonly Edit[]
  readonly found: Found
}

/** How the simulation finds it. */
export interface Found {
  /** Part of the name of the invariant that does not hold. */
  readonly by: string
  /** What the violation says; anything when not given. */
  readonly detail?: string
  readonly scenario:
    | 'spine'
    | 'spine-calm'
    | 'spine-moves'
    | 'spine-flaps'
    | 'spine-writes'
    | 'hand-offs'
    | 'sharding'
    | 'sharding-calm'
    | 'remembering'
    | 'stores'
    | 'nesting'
    | 'founding'
    | 'leases'
    | 'projections'
    | 'splits'
    | 'lease-splits'
    | 'strategies'
  /** One that found it when this was written. Any change of code deals the cards anew, and then another one does. */
  readonly seed: number
  /** About one seed in so many finds it. */
  readonly oneIn: number
  /** The search takes long: only a full run of the tests looks for it. */
  readonly isSlow?: true
}

/** To find none of it under so many seeds is no bad luck, but one in a hundred thousand: the checker has gone blind. */
export function seedsToTry({ oneIn }: Found): number {
  return 12 * oneIn
}

export interface Edit {
  /** From the root of the repository. */
  readonly file: string
  /** Must stand in the file exactly once. */
  readonly find: string
  readonly replace: string
}

/** The source with the edit in it. Throws when it does not apply exactly once. */
export function edited(source: string, { file, find, replace }: Edit): string {
  const count = source.split(find).length - 1
  if (count !== 1) {
    throw new Error(
      `An edit of ${file} must apply once, and its text stands there ${count} times: ${find}`,
    )
  }
  return source.replace(find, () => replace)
}
