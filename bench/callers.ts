/** The callers of the ask benchmarks: each asks, awaits and asks again, so that a number of questions is in flight. */

/** The numbers of questions in flight that are measured. */
export const inFlightCases = [
  ['1 in flight', 1],
  ['64 in flight', 64],
  ['1,024 in flight', 1024],
] as const

/** Starts that many callers, waits for all and checks that every answer, a 1 each, came. */
export async function runCallers(
  operations: number,
  inFlight: number,
  caller: (questions: number) => Promise<number>,
): Promise<void> {
  const callers = Array.from({ length: inFlight }, () => caller(operations / inFlight))
  const sums = await Promise.all(callers)
  const sum = sums.reduce((total, answers) => total + answers, 0)
  if (sum !== operations) throw new Error(`${sum} of ${operations} answers came`)
}
