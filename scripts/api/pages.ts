/** Writes the public surface down: one page per package export, with every name and its declaration. */
import { format } from 'oxfmt'
import type { PublicName, Surface } from './surface.ts'

/** A package export: `sherd/actor`, and the declaration file that users get for it. */
export interface Export {
  readonly specifier: string
  readonly types: string
  /** What it gives when the program runs, of which the defaults are shown: no type tells of them. */
  readonly values?: Readonly<Record<string, unknown>>
}

const style = { semi: false, singleQuote: true, printWidth: 100 } as const

/** The pages by their file names. A name that two exports give is described where it is at home. */
export async function apiPages(
  surface: Surface,
  exports: readonly Export[],
): Promise<ReadonlyMap<string, string>> {
  // The main one last: what it takes from the others is described there.
  const inOrder = exports.toSorted((a, b) => b.specifier.length - a.specifier.length)
  const homes = new Map<string, string>()
  const pages = new Map<string, string>()
  for (const { specifier, types, values = {} } of inOrder) {
    const names = surface.namesOf(types)
    const page = pageOf(specifier)
    for (const { origin } of names) if (!homes.has(origin)) homes.set(origin, page)
    const own = names.filter(({ origin }) => homes.get(origin) === page)
    const entries = await Promise.all(own.map((name) => entryOf(name, values[name.name])))
    const others = names.filter(({ origin }) => homes.get(origin) !== page)
    const links = others.map(
      ({ name, origin }) => `- [${name}](${homes.get(origin)}#${name.toLowerCase()})\n`,
    )
    const also = links.length === 0 ? [] : [`## Also here\n\n${links.join('')}`]
    const head = `# ${specifier}\n\nWhat \`${specifier}\` exports. Written by \`npm run api\`; not edited by hand.\n`
    pages.set(page, [head, ...entries, ...also].join('\n'))
  }
  return pages
}

function pageOf(specifier: string): string {
  return `${specifier.replace(/^sherd\//, '')}.md`
}

async function entryOf(
  { name, declarations, ...rest }: PublicName,
  value: unknown,
): Promise<string> {
  const [first] = declarations
  const comment = rest.isNamespace ? '' : (first?.comment ?? '')
  const codes = declarations.map((each) =>
    each === first && !rest.isNamespace ? each.code : withComment(each.comment, each.code),
  )
  const whole = rest.isNamespace ? `namespace ${name} {\n${codes.join('\n')}\n}` : codes.join('\n')
  const isDefault = name.startsWith('default') && value !== undefined
  const { code, errors } = isDefault
    ? await format('value.ts', whole.replace(/;?$/, ` = ${literal(value)}`), style)
    : await format('declaration.d.ts', whole, style)
  if (errors.length > 0) throw new Error(`The declaration of ${name} cannot be read:\n${whole}`)
  const isClassAsType = rest.isTypeOnly && first?.isType === false
  const prose = [comment, isClassAsType ? 'Exported as a type only.' : '']
  return [`## ${name}`, ...prose, `\`\`\`ts\n${code}\`\`\`\n`]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Data as one would write it down: one line for each field, whatever else fits there. */
function literal(value: unknown): string {
  if (Number.isInteger(value)) return (value as number).toLocaleString('en').replaceAll(',', '_')
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const fields = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}: ${literal(each)},`,
  )
  return `{\n${fields.join('\n')}\n}`
}

function withComment(comment: string, code: string): string {
  return comment === '' ? code : `/** ${comment.replaceAll('\n', '\n * ')} */\n${code}`
}
