/** What tests of misuse share: catching errors, recognising ours, and a child whose end is written down. */
import { expect } from 'vitest'
import {
  type ActorRef,
  type Behavior,
  Behaviors,
  type MailboxOptions,
  type Signal,
} from '../../src/actor/index.ts'
import type { Stage } from './stage.ts'

/** By code units. */
export const inOrder = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** What calling this throws; undefined when it does not. */
export function thrownBy(call: () => unknown): unknown {
  try {
    call()
    return undefined
  } catch (error) {
    return error
  }
}

export const coded = (code: string): unknown => expect.objectContaining({ code })

/** Any error of ours. */
export const ours: unknown = expect.objectContaining({ code: expect.any(String) as unknown })

/** An actor whose parent has heard how it ended. */
export async function childOf<T>(stage: Stage, behavior: Behavior<T>, mailbox?: MailboxOptions) {
  const ends: Signal[] = []
  let child!: ActorRef<T>
  const parent = await stage.start(
    Behaviors.setup<string>((context) => {
      child = context.spawn(behavior, { name: 'child', ...(mailbox ? { mailbox } : {}) })
      context.watch(child)
      return Behaviors.receiveMessage<string>((message) => {
        if (message === 'stop') context.stop(child)
      }).receiveSignal({
        Terminated: (_context, signal) => void ends.push(signal),
        ChildFailed: (_context, signal) => void ends.push(signal),
      })
    }),
  )
  return { parent, child, ends }
}
