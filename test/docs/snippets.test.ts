import { beforeAll, describe, expect, test, vi } from 'vitest'
import { programs, testPrograms } from './programs.ts'
import { patience, Reader } from './reader.ts'
import { snippetsIn } from './snippets.ts'

vi.setConfig(patience)

const reader = new Reader('snippets')
beforeAll(() => reader.install())

describe('every program in the documentation', () => {
  let complaints: readonly string[] = []

  beforeAll(async () => {
    complaints = await reader.compile(programs)
  })

  test('has the right types', () => {
    expect(complaints).toEqual([])
  })

  // Those of the guide run in snippets.full.test.ts.
  testPrograms(
    reader,
    programs.filter(({ page }) => page === 'README.md'),
  )
})

describe('a page with mistakes', () => {
  const fence = '```'
  const page = [
    '# A page',
    `${fence}ts`,
    "import { ActorSystem } from 'sherd'",
    'const system: number = new ActorSystem("planted", { settings: { hookSignals: false } })',
    'console.log("one")',
    fence,
    'Prose.',
    '<!-- continues -->',
    `${fence}ts`,
    'void system',
    "throw new Error('planted')",
    fence,
    `${fence}text`,
    'one',
    fence,
  ].join('\n')

  test('is told apart into programs and what they print', () => {
    const [snippet, ...others] = snippetsIn('planted.md', page)
    expect(others).toEqual([])
    expect(snippet).toMatchObject({ page: 'planted.md', line: 3, output: 'one\n' })
    expect(snippet?.code.split('\n')[9]).toBe('void system')
  })

  test('is named with the line of each mistake', async () => {
    const careless = new Reader('snippets/planted')
    const planted = snippetsIn('planted.md', page)
    expect(await careless.compile(planted)).toEqual([
      "planted.md:4 error TS2322: Type 'ActorSystem' is not assignable to type 'number'.",
    ])
    const { code, stderr } = await careless.run(planted[0]!)
    expect(code).toBe(1)
    expect(stderr).toContain('planted-3.ts:11')
  })

  test('must close its blocks, and begin before it continues', () => {
    expect(() => snippetsIn('open.md', `words\n${fence}ts\ncode`)).toThrow('open.md:2')
    const continued = `<!-- continues -->\n${fence}ts\ncode\n${fence}`
    expect(() => snippetsIn('continued.md', continued)).toThrow('continued.md:2 continues')
  })
})
