/** Where a round of bursts stands: so many are under way, and each answer sends the next one. */
export class Bursts {
  readonly #size: number
  readonly #underWay: number
  #toSend = 0
  #toHear = 0
  #finish: () => void = () => {}

  constructor(size: number, underWay: number) {
    this.#size = size
    this.#underWay = underWay
  }

  run(operations: number, sendBurst: () => void): Promise<void> {
    this.#toSend = operations / this.#size
    this.#toHear = this.#toSend
    return new Promise((resolve) => {
      this.#finish = resolve
      for (let count = 0; count < this.#underWay; count++) this.#next(sendBurst)
    })
  }

  heard(sendBurst: () => void): void {
    if (--this.#toHear === 0) return this.#finish()
    this.#next(sendBurst)
  }

  #next(sendBurst: () => void): void {
    if (this.#toSend-- > 0) sendBurst()
  }
}
