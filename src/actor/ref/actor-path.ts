/**
 * Names and paths of actors. A name may be any text; in a path it stands percent-encoded, so that a path is always a
 * URL and never ambiguous. Names that begin with `$` are ours.
 */
import { isWellFormed, utf8Length } from '../../foundation/text.ts'
import { InvalidActorName } from '../actor-errors.ts'

const nameBytesMax = 512
const plainName = /^[A-Za-z0-9_][A-Za-z0-9_.~-]*$/

/** Where an actor lives. Two actors may have had the same path; the number tells them apart. */
export class ActorPath {
  /** The system's name for a root, the percent-encoded name otherwise. */
  readonly name: string
  readonly parent: ActorPath | undefined
  readonly uid: number

  constructor(name: string, parent: ActorPath | undefined, uid: number) {
    this.name = name
    this.parent = parent
    this.uid = uid
  }

  /** `sherd://shop/user/cart` */
  get withoutUid(): string {
    const names = lineOf<ActorPath>(this).map(({ name }) => name)
    return `sherd://${names.join('/')}`
  }

  /** The names below the system, outermost first. */
  get elements(): readonly string[] {
    return lineOf<ActorPath>(this)
      .slice(1)
      .map(({ name }) => name)
  }

  toString(): string {
    return this.uid === 0 ? this.withoutUid : `${this.withoutUid}#${this.uid}`
  }

  toJSON(): string {
    return this.toString()
  }
}

/** From the outermost to this one. Not recursive: a line of actors may be longer than the stack is deep. */
export function lineOf<T extends { readonly parent: T | undefined }>(last: T): T[] {
  const line: T[] = []
  for (let each: T | undefined = last; each !== undefined; each = each.parent) line.push(each)
  return line.reverse()
}

/** The name as it stands in a path. Throws `InvalidActorName` when it cannot be one. */
export function encodeActorName(name: string): string {
  if (typeof name === 'string' && name.length <= 128 && plainName.test(name)) return name
  const problem = problemWithName(name)
  if (problem !== undefined) throw new InvalidActorName(name, problem)
  const encoded = encodeURIComponent(name)
  // A lone dot would be taken for "this folder" by everything that reads URLs.
  return /^\.+$/.test(encoded) ? encoded.replaceAll('.', '%2E') : encoded
}

function problemWithName(name: unknown): string | undefined {
  if (typeof name !== 'string') return 'a name is a string'
  if (name.length === 0) return 'a name has at least one character'
  if (name.startsWith('$')) return 'names that begin with $ belong to the runtime'
  if (name.length > nameBytesMax || utf8Length(name) > nameBytesMax) {
    return `a name has at most ${nameBytesMax} bytes`
  }
  if (!isWellFormed(name)) return 'a name is well-formed Unicode, without lone surrogates'
  if (name.includes('\0')) return 'a name has no NUL character'
  return undefined
}
