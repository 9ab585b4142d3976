/**
 * What a message is called in the log: its type, its command or its class, and nothing else of it. What users put into
 * messages is their data and stays out of the log; subscribers of the event stream get the whole message.
 */
import { classNameOf } from '../../foundation/show.ts'

/** What a tag in a program looks like. Anything else may be somebody's words. */
const nameLike = /^[\p{L}\p{N}_$.:/-]{1,60}$/u

/** Never throws, calls no getter, and does not use what the message says of itself in `toString`. */
export function kindOfMessage(message: unknown): string {
  if (message === null || message === undefined) return String(message)
  if (typeof message === 'string') return 'a text'
  if (typeof message !== 'object') return `a ${typeof message}`
  try {
    if (Array.isArray(message)) return 'an array'
    return tagOf(message) ?? 'an object'
  } catch {
    // A proxy: whatever it threw is not our subject.
    return 'an object'
  }
}

function tagOf(message: object): string | undefined {
  const type = fieldOf(message, 'type')
  if (isName(type)) return type
  // A call: the name of a command, with its arguments.
  const command = fieldOf(message, 'command')
  if (isName(command) && Array.isArray(fieldOf(message, 'args'))) return `the command ${command}`
  const className = classNameOf(message)
  return isName(className) && className !== 'Object' ? className : undefined
}

function fieldOf(message: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(message, name)?.value
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && nameLike.test(value)
}
