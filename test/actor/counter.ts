/** Actors for tests of supervision: one that counts and fails on demand, and a parent that notes how a child ends. */
import { type ActorRef, type Behavior, Behaviors, type Signal } from '../../src/actor/index.ts'
import type { Stage } from './stage.ts'

export class Boom extends Error {}

export class SmallBoom extends Boom {}

export class Other extends Error {}

export type Command =
  | 'add'
  | 'get'
  | 'unhandled'
  | { readonly fail: unknown }
  | { readonly become: Behavior<Command> }

/** Counts; says what it does to `said`. */
export function counter(said: string[], name = 'counter'): Behavior<Command> {
  return Behaviors.setup<Command>(() => {
    said.push(`${name} starts`)
    let count = 0
    const note = (signal: Signal): void => void said.push(`${name} ${signal.type} at ${count}`)
    return Behaviors.receiveMessage<Command>((command) => {
      if (command === 'add') count++
      else if (command === 'get') said.push(`${name} ${count}`)
      else if (command === 'unhandled') return Behaviors.unhandled
      else if ('become' in command) return command.become
      else throw command.fail
      return undefined
    }).receiveSignal({
      PreRestart: (_context, signal) => note(signal),
      PostStop: (_context, signal) => note(signal),
    })
  })
}

/** Watches a child made of `behavior` and writes down how it ends. */
export async function watched<T>(
  stage: Stage,
  behavior: Behavior<T>,
): Promise<{ child: ActorRef<T>; ends: Signal[] }> {
  const ends: Signal[] = []
  let child!: ActorRef<T>
  await stage.start(
    Behaviors.setup<never>((context) => {
      child = context.spawn(behavior, 'child')
      context.watch(child)
      return Behaviors.receiveSignal<never>({
        Terminated: (_context, signal) => void ends.push(signal),
        ChildFailed: (_context, signal) => void ends.push(signal),
      })
    }),
  )
  return { child, ends }
}

export const fail = (error: unknown = new Boom('boom')): Command => ({ fail: error })
