/** The place of a value inside another, in the words of whoever wrote it: `message.items[3].onClick`. */
import { show } from '../foundation/show.ts'
import { clip } from '../foundation/text.ts'

/** A key of an object, an index of an array, or a member of a map or set. */
export type Step = string | number | MemberStep

export interface MemberStep {
  readonly member: 'key' | 'value' | 'element'
  /** The key of a value; for keys and elements, which have no name of their own, how many came before. */
  readonly of: unknown
}

const LENGTH_MAX = 200

const plainKey = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u

export function pathOf(name: string, steps: readonly Step[]): string {
  return clip(steps.reduce<string>(extended, name), LENGTH_MAX)
}

function extended(path: string, step: Step): string {
  if (typeof step === 'number') return `${path}[${step}]`
  if (typeof step === 'string') {
    const isPlain = step.length < 100 && plainKey.test(step)
    return isPlain ? `${path}.${step}` : `${path}[${show(step, 60)}]`
  }
  if (step.member === 'value') return `${path}.get(${show(step.of, 60)})`
  return `(${step.member} ${String(step.of)} of ${path})`
}
