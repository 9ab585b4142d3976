import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { apiPages } from './pages.ts'
import { Surface } from './surface.ts'

const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** The surface of these declaration files. */
function planted(files: Readonly<Record<string, readonly string[]>>): Surface {
  const folder = mkdtempSync(join(tmpdir(), 'sherd-api-'))
  folders.push(folder)
  for (const [path, lines] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), `${lines.join('\n')}\n`)
  }
  return new Surface(folder)
}

const dog = [
  '/** Dogs. */',
  "import type { Bone } from './bone.ts';",
  '/** Says',
  ' * wow. */',
  'export declare class Dog implements Barking, Other<Bone> {',
  '    #private;',
  '    /** Of a dog. */',
  '    readonly name: string;',
  '    private constructor();',
  '    /** Made of this. */',
  '    static from(parts: {',
  '        readonly bone: Bone;',
  '    }): Dog;',
  '    bark(): Sound;',
  '}',
  'export declare function call(name: string): Dog;',
  '/** With a bone. */',
  'export declare function call(bone: Bone): Dog;',
  'interface Barking {',
  '    bark(): Sound;',
  '}',
  'type Sound = Loudness | ',
  '/** Hardly. */',
  '{',
  '    readonly low: true;',
  '};',
  'type Loudness = number;',
]
const bone = ['export interface Bone {', '    readonly Dog: 1;', '}']

describe('Surface', () => {
  test('follows names through re-exports, stars and new names, in one order', () => {
    const surface = planted({
      'index.d.ts': ["export { Dog as Hound, type Dog } from './kennel/index.ts';"],
      'kennel/index.d.ts': ["export * from './dog.ts';", "export type * from './bone.ts';"],
      'kennel/dog.d.ts': dog,
      'kennel/bone.d.ts': bone,
    })
    const found = (path: string) =>
      surface.namesOf(path).map(({ name, origin, isTypeOnly }) => [name, origin, isTypeOnly])
    expect(found('kennel/index.d.ts')).toEqual([
      ['Bone', 'kennel/bone.d.ts#Bone', true],
      ['call', 'kennel/dog.d.ts#call', false],
      ['Dog', 'kennel/dog.d.ts#Dog', false],
    ])
    expect(found('index.d.ts')).toEqual([
      ['Dog', 'kennel/dog.d.ts#Dog', true],
      ['Hound', 'kennel/dog.d.ts#Dog', false],
    ])
  })

  test('says what declarations speak of, and takes what no file can name for a part of them', () => {
    const surface = planted({ 'dog.d.ts': dog, 'bone.d.ts': bone })
    const [call, Dog] = surface.namesOf('dog.d.ts')
    expect(call?.declarations.map(({ code }) => code)).toEqual([
      'function call(name: string): Dog;',
      'function call(bone: Bone): Dog;',
    ])
    expect(surface.mentions(call!)).toEqual(['dog.d.ts#call', 'dog.d.ts#Dog', 'bone.d.ts#Bone'])
    expect(Dog?.declarations.map(({ name }) => name)).toEqual(['Dog', 'Sound', 'Loudness'])
    const [Bone] = surface.namesOf('bone.d.ts')
    expect(surface.mentions(Bone!)).toEqual(['bone.d.ts#Bone'])
  })
})

describe('apiPages', () => {
  const exports = [
    { specifier: 'sherd', types: 'index.d.ts' },
    { specifier: 'sherd/kennel', types: 'kennel.d.ts' },
  ]

  test('describes a name where it is at home, and links to it from elsewhere', async () => {
    const surface = planted({
      'index.d.ts': ["export * from './kennel.ts';", 'export declare const legs = 4;'],
      'kennel.d.ts': [
        "export type { Dog } from './dog.ts';",
        "export * as Bones from './bone.ts';",
      ],
      'dog.d.ts': dog,
      'bone.d.ts': bone,
    })
    const pages = await apiPages(surface, exports)
    const head = (specifier: string) => [
      `# ${specifier}`,
      '',
      `What \`${specifier}\` exports. Written by \`npm run api\`; not edited by hand.`,
    ]
    expect(pages.get('sherd.md')?.split('\n')).toEqual([
      ...head('sherd'),
      ...['', '## legs', '', '```ts', 'const legs = 4', '```', '', '## Also here', ''],
      ...['- [Bones](kennel.md#bones)', '- [Dog](kennel.md#dog)', ''],
    ])
    expect(pages.get('kennel.md')?.split('\n')).toEqual([
      ...head('sherd/kennel'),
      ...['', '## Bones', '', '```ts', 'namespace Bones {'],
      ...['  interface Bone {', '    readonly Dog: 1', '  }', '}', '```'],
      ...['', '## Dog', '', 'Says', 'wow.', '', 'Exported as a type only.', '', '```ts'],
      ...['class Dog {', '  /** Of a dog. */', '  readonly name: string', '  bark(): Sound', '}'],
      ...['type Sound =', '  | Loudness', '  /** Hardly. */', '  | {', '      readonly low: true'],
      ...['    }', 'type Loudness = number', '```', ''],
    ])
  })

  test('shows the values of defaults, since no type tells when one changes', async () => {
    const surface = planted({
      'index.d.ts': ['export declare const defaultWalk: Walk;', 'export declare const tail: Tail;'],
    })
    const values = {
      defaultWalk: { lengthMs: 3_600_000, restMs: Infinity, share: 0.1, leash: { isLong: true } },
      tail: { length: 7 },
    }
    const pages = await apiPages(surface, [{ specifier: 'sherd', types: 'index.d.ts', values }])
    expect(pages.get('sherd.md')?.split('\n').slice(3)).toEqual([
      ...['', '## defaultWalk', '', '```ts', 'const defaultWalk: Walk = {'],
      ...['  lengthMs: 3_600_000,', '  restMs: Infinity,', '  share: 0.1,', '  leash: {'],
      ...['    isLong: true,', '  },', '}', '```', '', '## tail', '', '```ts'],
      ...['const tail: Tail', '```', ''],
    ])
  })

  test('does not write what it cannot read', async () => {
    const surface = planted({ 'index.d.ts': ['export declare const a: {'] })
    const alone = [{ specifier: 'sherd', types: 'index.d.ts' }]
    await expect(apiPages(surface, alone)).rejects.toThrow('The declaration of a cannot be read')
    expect(() =>
      planted({ 'a.d.ts': ["export { b } from './b.ts';"], 'b.d.ts': [] }).namesOf('a.d.ts'),
    ).toThrow('b.d.ts does not export b.')
  })
})
