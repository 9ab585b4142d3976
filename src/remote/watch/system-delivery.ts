/**
 * System messages between two incarnations, in order and exactly once: the sender numbers them from 1 and keeps each
 * until it is confirmed, and sends what it still has on every new connection; the receiver takes the next number only.
 *
 * Invariant: no number is ever skipped. Who cannot keep that gives the peer up.
 */
import { RingBuffer } from '../../foundation/ring-buffer.ts'
import { MalformedFrame } from '../wire/byte-cursor.ts'
import type { AddressedSystemMessage, SystemMessage } from './system-messages.ts'

/** One that is not confirmed, and since when it waits for that. */
export interface WaitingSystemMessage extends AddressedSystemMessage {
  readonly sinceMs: number
  /** The peer could not be reached and is not called for it: it goes when there is a connection. */
  readonly isLeft?: boolean
}

export class SystemSender {
  #kept = new RingBuffer<WaitingSystemMessage>()
  /** The number of the oldest that is kept. */
  #first = 1

  get size(): number {
    return this.#kept.size
  }

  /** Whether no number has been given, so that whoever begins anew has lost nothing. */
  get isFresh(): boolean {
    return this.#first === 1 && this.#kept.size === 0
  }

  /** All that are kept, oldest first, with whom they are for. */
  *waiting(): IterableIterator<WaitingSystemMessage> {
    yield* this.#kept
  }

  /** Answers the number. */
  add(waiting: WaitingSystemMessage): number {
    this.#kept.push(waiting)
    return this.#first + this.#kept.size - 1
  }

  /** The peer has everything up to this number. False when it counts from a time that this node has forgotten. */
  confirmed(sequence: number): boolean {
    if (this.#first === 1 && sequence > this.#kept.size) return false
    if (sequence >= this.#first + this.#kept.size) {
      throw new MalformedFrame('a system message is confirmed that was not sent')
    }
    while (this.#first <= sequence) {
      this.#kept.shift()
      this.#first++
    }
    return true
  }

  /** The same, each with its number. */
  *numbered(): IterableIterator<readonly [sequence: number, message: SystemMessage]> {
    let sequence = this.#first
    for (const { message } of this.#kept) yield [sequence++, message] as const
  }

  /** Numbers and messages stay as they are. */
  revise(change: (each: WaitingSystemMessage) => WaitingSystemMessage): void {
    const kept = [...this.#kept]
    this.#kept = new RingBuffer()
    for (const each of kept) this.#kept.push(change(each))
  }

  /** For another incarnation of the peer: numbers begin anew, and only what may go to it is kept. */
  restart(isKept: (addressed: AddressedSystemMessage) => boolean): void {
    const kept = [...this.#kept].filter(isKept)
    this.#kept = new RingBuffer()
    for (const each of kept) this.#kept.push(each)
    this.#first = 1
  }
}

export class SystemReceiver {
  #last = 0

  /** The number of the last that was taken. */
  get last(): number {
    return this.#last
  }

  /** Nothing has come before, and this is not the first: it counts from a time that this node has forgotten. */
  isForgotten(sequence: number): boolean {
    return this.#last === 0 && sequence > 1
  }

  /** False for one that was taken before. Throws MalformedFrame for one that comes too early. */
  take(sequence: number): boolean {
    if (sequence <= this.#last) return false
    if (sequence !== this.#last + 1) throw new MalformedFrame('a system message is missing')
    this.#last = sequence
    return true
  }
}
