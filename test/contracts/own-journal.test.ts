import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../docs/reader.ts'
import { snippetsIn } from '../docs/snippets.ts'

const page = 'docs/guide/12-a-journal-of-your-own.md'

/** The program of the guide, on the source as it is. */
function programOfThePage(): string {
  const [snippet] = snippetsIn(page, readFileSync(join(root, page), 'utf8'))
  return snippet!.code.replace(/'sherd(\/\w+)?'/g, (_whole, room = '') =>
    JSON.stringify(new URL(`../../src${room}/index.ts`, import.meta.url).href),
  )
}

describe('the journal of the guide, under node:test', { timeout: 120_000 }, () => {
  let folder = ''
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'sherd-own-journal-'))))
  afterAll(() => rm(folder, { recursive: true, force: true }))

  async function run(
    program: string,
    ...options: string[]
  ): Promise<{ failed: string[]; passed: number }> {
    const file = join(folder, 'own-journal.test.mts')
    await writeFile(file, program)
    const output = await runNodeTest([...options, file])
    const failed = [...output.matchAll(/^ {4}not ok \d+ - (.*)$/gm)].map(([, name]) => name!)
    return { failed, passed: output.match(/^ {4}ok \d+ - /gm)?.length ?? 0 }
  }

  test('keeps every promise', async () => {
    const { failed, passed } = await run(programOfThePage())
    expect(failed).toEqual([])
    expect(passed).toBeGreaterThan(25)
  })

  test('is found out when it does not look at the writer', async () => {
    const check = 'judgeAppend(this.#streams.get(id), batch)'
    const program = programOfThePage()
    expect(program).toContain(check)
    const anybody = `judgeAppend(this.#streams.get(id), { ...batch, epoch: this.#stream(id).epoch })`
    const told = 'refuses a writer whose stream was claimed by another, and says by whom'
    const { failed } = await run(program.replace(check, anybody), `--test-name-pattern=${told}`)
    expect(failed).toEqual([told])
  })
})

function runNodeTest(options: readonly string[]): Promise<string> {
  const args = ['--import', 'tsx', '--test', '--test-reporter=tap', ...options]
  // Without it node:test would believe that it runs inside another runner.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined }
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root, env, timeout: 90_000 }, (_error, out, err) => {
      resolve(out + err)
    })
  })
}
