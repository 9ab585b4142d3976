/** Waiting for something that must come, with an error that names it when it does not. */

/** Long enough for a busy machine with two cores; only failing tests ever wait so long. */
export const patienceMs = 30_000

export class NothingCame extends Error {
  override readonly name = 'NothingCame'
}

/** Settles as `promise` does, or fails after a while saying what was awaited. */
export function within<T>(
  promise: Promise<T>,
  what: string,
  limitMs: number = patienceMs,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new NothingCame(`waited ${limitMs} ms in vain for ${what}`)),
      limitMs,
    )
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
