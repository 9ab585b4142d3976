/** Looking things up in lists that are kept in order, where a map beside the list would be one more thing to keep true. */

/** Where it stands, or -1. `order` says how an item stands to what is sought: below zero before it, above zero behind it. */
export function indexInSorted<T>(list: readonly T[], order: (item: T) => number): number {
  let low = 0
  let high = list.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const place = order(list[middle]!)
    if (place === 0) return middle
    if (place < 0) low = middle + 1
    else high = middle - 1
  }
  return -1
}

export function findInSorted<T>(list: readonly T[], order: (item: T) => number): T | undefined {
  return list[indexInSorted(list, order)]
}

/** In the order of code units, never by locale. */
export function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** Of two lists in the same order: what only the first has, what both have, and what only the second has, in order. */
export function walkSorted<T>(
  a: readonly T[],
  b: readonly T[],
  compare: (a: T, b: T) => number,
  visit: (inA: T | undefined, inB: T | undefined) => void,
): void {
  let indexA = 0
  let indexB = 0
  while (indexA < a.length || indexB < b.length) {
    const itemA = a[indexA]
    const itemB = b[indexB]
    // Most items are the same object on both sides: those need no comparison.
    const order =
      itemA === itemB
        ? 0
        : itemA === undefined
          ? 1
          : itemB === undefined
            ? -1
            : compare(itemA, itemB)
    if (order <= 0) indexA++
    if (order >= 0) indexB++
    visit(order <= 0 ? itemA : undefined, order >= 0 ? itemB : undefined)
  }
}
