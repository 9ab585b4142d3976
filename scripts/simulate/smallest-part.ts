/**
 * Delta debugging: leaves out ever smaller parts of a list as long as what is left still does it. What comes out is small, and
 * where there was time to try it all, nothing more of it can be left out alone.
 */
export async function smallestPart<Item>(
  items: readonly Item[],
  stillDoes: (kept: readonly Item[]) => Promise<boolean>,
  mayGoOn: () => boolean,
): Promise<readonly Item[]> {
  if (items.length === 0 || (mayGoOn() && (await stillDoes([])))) return []
  let kept = items
  let parts = 2
  while (kept.length > 1) {
    const less = await withoutOnePart(kept, Math.min(parts, kept.length), stillDoes, mayGoOn)
    if (less !== undefined) {
      kept = less
      parts = Math.max(parts - 1, 2)
    } else if (parts >= kept.length || !mayGoOn()) return kept
    else parts *= 2
  }
  return kept
}

/** The list without the first of so many parts that can be left out; undefined when there is none. */
async function withoutOnePart<Item>(
  items: readonly Item[],
  parts: number,
  stillDoes: (kept: readonly Item[]) => Promise<boolean>,
  mayGoOn: () => boolean,
): Promise<readonly Item[] | undefined> {
  for (let part = 0; part < parts; part++) {
    if (!mayGoOn()) return undefined
    const from = Math.floor((part * items.length) / parts)
    const to = Math.floor(((part + 1) * items.length) / parts)
    const rest = [...items.slice(0, from), ...items.slice(to)]
    if (await stillDoes(rest)) return rest
  }
  return undefined
}
