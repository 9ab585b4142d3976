/** The words behind a command, as options and the rest. What is not known is refused with what was probably meant. */
import { parseArgs } from 'node:util'
import { show } from '../foundation/show.ts'
import { unknownSettings } from '../foundation/unknown-names.ts'
import { UsageError } from './cli-errors.ts'

/** `flag` stands alone, `text` and `count` have a value, of which `count` is a whole number. */
export type OptionKinds = Readonly<Record<string, 'flag' | 'text' | 'count'>>

export class Options {
  readonly rest: readonly string[]
  readonly #given: ReadonlyMap<string, string | true>

  constructor(given: ReadonlyMap<string, string | true>, rest: readonly string[]) {
    this.#given = given
    this.rest = rest
  }

  has(name: string): boolean {
    return this.#given.has(name)
  }

  text(name: string): string | undefined {
    const value = this.#given.get(name)
    return value === true ? undefined : value
  }

  count(name: string): number | undefined {
    const text = this.text(name)
    return text === undefined ? undefined : Number(text)
  }
}

/** Throws `UsageError`. */
export function parseOptions(
  words: readonly string[],
  kinds: OptionKinds,
  command: string,
): Options {
  const all: OptionKinds = { ...kinds, help: 'flag' }
  const options = Object.fromEntries(
    Object.entries(all).map(([name, kind]) => [
      name,
      { type: kind === 'flag' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  const { tokens } = parseArgs({
    ...{ args: [...words], options, strict: false, allowPositionals: true },
    tokens: true,
  })
  const given = new Map<string, string | true>()
  const rest: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') rest.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName } = token
    const kind = rawName === '-h' ? 'flag' : all[name]
    if (kind === undefined || !(rawName === '-h' || rawName.startsWith('--'))) {
      throw new UsageError(unknownOption(rawName, all, command))
    }
    if (given.has(name)) throw new UsageError(`${rawName} was given twice.`)
    given.set(rawName === '-h' ? 'help' : name, valueOf(kind, rawName, token))
  }
  return new Options(given, rest)
}

function unknownOption(rawName: string, kinds: OptionKinds, command: string): string {
  const known = Object.fromEntries(Object.keys(kinds).map((name) => [`--${name}`, true]))
  const [problem] = unknownSettings({ [rawName]: true }, known, `an option of \`${command}\``)
  return `${problem?.replace(/\?$/, '') ?? rawName}${problem?.endsWith('?') ? '?' : '.'}`
}

function valueOf(
  kind: OptionKinds[string],
  name: string,
  {
    value,
    inlineValue,
  }: { readonly value?: string | undefined; readonly inlineValue?: boolean | undefined },
): string | true {
  if (kind === 'flag') {
    if (value !== undefined) throw new UsageError(`${name} takes no value.`)
    return true
  }
  // The next option was meant as such; what really begins so can be given as --option=--value.
  if (value === undefined || (inlineValue !== true && value.startsWith('--'))) {
    throw new UsageError(`${name} needs a value behind it.`)
  }
  if (kind === 'count' && !/^\d{1,15}$/.test(value)) {
    throw new UsageError(`${name} is a whole number, not ${show(value)}.`)
  }
  return value
}
