import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './reader.ts'

/** Every name a user can import from the door, with the file that has it. */
function namesOf(door: string): { readonly name: string; readonly source: string }[] {
  const text = readFileSync(door, 'utf8')
  return [...text.matchAll(/^export (?:type )?(\*|\{[^}]*\}) from '(.*)'$/gm)].flatMap(
    ([, names = '', file = '']) => {
      const source = sourceOf(join(dirname(door), file))
      const listed = names === '*' ? [...source.matchAll(declaration('\\w+'))] : []
      const named = [...names.matchAll(/(?:type )?(\w+),?/g)].map(([, name = '']) => name)
      return [...listed.map(([, name = '']) => name), ...named].map((name) => ({ name, source }))
    },
  )
}

/** The file, and those whose names it hands on. */
function sourceOf(file: string): string {
  const text = readFileSync(file, 'utf8')
  const others = [...text.matchAll(/^export .* from '(\..*)'$/gm)]
  const paths = others.map(([, other = '']) => join(dirname(file), other)).filter(existsSync)
  return [text, ...paths.map((path) => readFileSync(path, 'utf8'))].join('\n')
}

function declaration(name: string): RegExp {
  return new RegExp(
    `^export (?:abstract |async )?(?:class|function\\*?|const|interface|type) (${name})\\b`,
    'gm',
  )
}

function isExplained({ name, source }: { name: string; source: string }): boolean {
  const found = [...source.matchAll(declaration(name))]
  return found.some(({ index }) => source.slice(0, index).endsWith('*/\n'))
}

test.for(['actor', 'testkit', 'simulation'])(
  'every name at the door of %s has a comment that an editor shows',
  (room) => {
    const names = namesOf(join(root, 'src', room, 'index.ts'))
    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((entry) => !isExplained(entry)).map(({ name }) => name)).toEqual([])
  },
)
