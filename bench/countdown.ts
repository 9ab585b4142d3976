/** Resolves when something that many actors do has happened often enough. */
export class Countdown {
  left = 0
  finish: () => void = () => {}

  /** Bound, so that it can be handed out as a handler as it is. */
  readonly one = (): void => {
    if (--this.left === 0) this.finish()
  }

  from(count: number): Promise<void> {
    this.left = count
    return new Promise((resolve) => (this.finish = resolve))
  }
}
