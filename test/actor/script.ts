/** An actor for tests of async handlers: every message waits for its gate. */
import { type Gate, gate } from './stage.ts'

/** Notes the beginning and the end of every message; in between it waits for the gate of that message. */
export class Script {
  readonly said: string[] = []
  readonly #gates = new Map<string, Gate<void>>()

  gate(message: string): Gate<void> {
    const found = this.#gates.get(message) ?? gate()
    this.#gates.set(message, found)
    return found
  }

  readonly handle = async (message: string): Promise<void> => {
    this.said.push(`${message} begins`)
    await this.gate(message).promise
    this.said.push(`${message} ends`)
  }
}
