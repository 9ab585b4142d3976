/** What a seeded bug is, and how it is applied. */
export interface Mutant {
  /** What the bug is, and who had it. */
  readonly why: string
  readonly edits: readonly Edit[]
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
