/** Writes the public surface down: one page per package export, with every name and its declaration. */
import { format } from 'oxfmt'
import type { PublicName, Surface } from './surface.ts'

/** A package export: `sherd/actor`, and the declaration file that users get for it. */
export interface Export {
  readonly specifier: string
  readonly types: string
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
  for (const { specifier, types } of inOrder) {
    const names = surface.namesOf(types)
    const page = pageOf(specifier)
    for (const { origin } of names) if (!homes.has(origin)) homes.set(origin, page)
    const own = names.filter(({ origin }) => homes.get(origin) === page)
    const entries = await Promise.all(own.map(entryOf))
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

async function entryOf({ name, declarations, ...rest }: PublicName): Promise<string> {
  const [first] = declarations
  const comment = rest.isNamespace ? '' : (first?.comment ?? '')
  const codes = declarations.map((each) =>
    each === first && !rest.isNamespace ? each.code : withComment(each.comment, each.code),
  )
  const whole = rest.isNamespace ? `namespace ${name} {\n${codes.join('\n')}\n}` : codes.join('\n')
  const { code, errors } = await format('declaration.d.ts', whole, style)
  if (errors.length > 0) throw new Error(`The declaration of ${name} cannot be read:\n${whole}`)
  const isClassAsType = rest.isTypeOnly && first?.isType === false
  const prose = [comment, isClassAsType ? 'Exported as a type only.' : '']
  return [`## ${name}`, ...prose, `\`\`\`ts\n${code}\`\`\`\n`]
    .filter((part) => part !== '')
    .join('\n\n')
}

function withComment(comment: string, code: string): string {
  return comment === '' ? code : `/** ${comment.replaceAll('\n', '\n * ')} */\n${code}`
}
