/**
 * Seeded bugs: real ones of the field, each a small edit of our source that is applied when modules are loaded
 * (`npm run simulate -- --mutant Bxx`). The checkers must find every one; that shows that they can.
 */
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

export const mutants: ReadonlyMap<string, Mutant> = new Map()

/** The source with the edit in it. */
export function edited(source: string, { file, find, replace }: Edit): string {
  const count = source.split(find).length - 1
  if (count !== 1) {
    throw new Error(
      `An edit of ${file} must apply once, and its text stands there ${count} times: ${find}`,
    )
  }
  return source.replace(find, () => replace)
}
