/**
 * Where every letter of a scenario went. A letter is a message with a name: it is sent once, taken up at most once,
 * answered at most once, and when it is not answered there is a record that says why.
 */
interface Letter {
  taken: number
  answered: number
  readonly reasons: string[]
}

export class Ledger {
  readonly #letters = new Map<string, Letter>()
  readonly #wrongs: string[] = []

  sent(name: string): void {
    if (this.#letters.has(name)) throw new Error(`letter ${name} was sent twice`)
    this.#letters.set(name, { taken: 0, answered: 0, reasons: [] })
  }

  /** Somebody works on it. */
  taken(name: string): void {
    this.#letter(name).taken++
  }

  answered(name: string): void {
    this.#letter(name).answered++
  }

  /** There may be no answer: the work failed, or a message was lost. */
  accounted(name: string, reason: string): void {
    this.#letter(name).reasons.push(reason)
  }

  /** For a message that may or may not be a letter. */
  lost(message: unknown, reason: string): void {
    if (typeof message !== 'object' || message === null || !('letter' in message)) return
    this.accounted(String(message.letter), reason)
  }

  /** Every such letter that has no answer yet may have been on a node that has crashed. */
  lostInCrash(isConcerned: (name: string) => boolean): void {
    for (const [name, letter] of this.#letters) {
      if (letter.answered === 0 && isConcerned(name)) letter.reasons.push('crash')
    }
  }

  /** Something else that must never happen. */
  wrong(problem: string): void {
    this.#wrongs.push(problem)
  }

  /** Every letter with its fate, one line each. */
  lines(): string[] {
    return [...this.#letters].map(
      ([name, { answered, reasons }]) => `${name}: ${answered} answered, ${reasons.join(' and ')}`,
    )
  }

  /** What is wrong with the books; empty when they balance. */
  problems(): string[] {
    const problems = [...this.#wrongs]
    for (const [name, { taken, answered, reasons }] of this.#letters) {
      if (taken > 1) problems.push(`${name} was taken up ${taken} times`)
      if (answered > 1) problems.push(`${name} was answered ${answered} times`)
      if (answered + reasons.length === 0) problems.push(`${name} has vanished without a record`)
    }
    return problems
  }

  #letter(name: string): Letter {
    const letter = this.#letters.get(name)
    if (letter === undefined) throw new Error(`letter ${name} was never sent`)
    return letter
  }
}
