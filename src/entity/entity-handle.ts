/**
 * An entity as its callers hold it: an object with its commands as methods. The methods of a type are made once; a handle
 * is its id and its options. A name that is no command is told so, with those that there are.
 */
import type { CallOptions } from './entity-types.ts'

export type MakeCall = (handle: HandleData, command: string, args: unknown[]) => Promise<unknown>

/** What a handle knows; nothing of it shows among the commands. */
export class HandleData {
  readonly id: string
  readonly options: CallOptions | undefined
  /** Whom to call, found at the first call. */
  target: unknown = undefined

  constructor(id: string, options: CallOptions | undefined) {
    this.id = id
    this.options = options
  }
}

const data: unique symbol = Symbol('sherd.entity')

/**
 * Names that JavaScript itself asks every object for: awaiting, printing, adding and comparing a handle must do no harm. A
 * call that nobody meant to make would fail where nobody listens.
 */
export const notCommands: ReadonlySet<string> = new Set([
  'then',
  'catch',
  'finally',
  'valueOf',
  'toJSON',
  'asymmetricMatch',
  'nodeType',
  '$$typeof',
])

type Method = (this: { readonly [data]: HandleData }, ...args: unknown[]) => Promise<unknown>

/** The common part of all handles of one type. */
export class HandleKind {
  readonly #prototype: object

  /** With the implementation at hand its commands are there as methods; any other name goes to `callUnknown`. */
  constructor(
    entityType: string,
    commands: readonly string[],
    { call, callUnknown }: Readonly<Record<'call' | 'callUnknown', MakeCall>>,
  ) {
    const own: Record<PropertyKey, unknown> = {}
    for (const command of commands) own[command] = methodFor(command, call)
    own['toString'] = function (this: { readonly [data]: HandleData }): string {
      return `${entityType} ${this[data].id}`
    }
    own[Symbol.for('nodejs.util.inspect.custom')] = own['toString']
    Object.setPrototypeOf(
      own,
      unknownCommands((command) => methodFor(command, callUnknown)),
    )
    this.#prototype = own
  }

  handle(id: string, options: CallOptions | undefined): object {
    return Object.create(this.#prototype, {
      [data]: { value: new HandleData(id, options) },
    }) as object
  }
}

function methodFor(command: string, call: MakeCall): Method {
  return function (...args) {
    return call(this[data], command, args)
  }
}

/** Stands behind the known methods and catches whatever else is called. */
function unknownCommands(methodOf: (command: string) => Method): object {
  return new Proxy(Object.create(null) as object, {
    get: (_, name) =>
      typeof name === 'symbol' || notCommands.has(name) ? undefined : methodOf(name),
  })
}
