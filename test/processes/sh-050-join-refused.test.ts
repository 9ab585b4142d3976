import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { compiledFile } from './harness/compiled.ts'
import { within } from './harness/patience.ts'
import { nodesForTest } from './harness/scene.ts'

const program = compiledFile(new URL('./join-main.ts', import.meta.url))

/** Five seconds, on a machine that may have four times as much to do. */
const endsWithinMs = 20_000

interface Joiner {
  readonly folder: string
  readonly seed: string
  readonly shards: number
  readonly remembers: boolean
}

/** How the program ended, and what it had to say. */
async function joinBy({ folder, seed, shards, remembers }: Joiner) {
  const child = spawn(process.execPath, [program, folder, seed, `${shards}`, `${remembers}`])
  const begunMs = performance.now()
  onTestFinished(() => void child.kill('SIGKILL'))
  let [printed, errors] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const [code] = (await within(once(child, 'close'), 'the end of the program')) as [number]
  return { code, printed, errors, tookMs: performance.now() - begunMs }
}

test('SH-050 a program with other settings, or another store, ends with the reason, and the cluster goes on as it was', async () => {
  const nodes = nodesForTest()
  const seeds = await nodes.addresses(['a'])
  const a = await nodes.start('a', { seeds })
  expect(await a.call('add', '1', 5)).toEqual([5])
  const { folder } = nodes.processes
  const ours = { folder, seed: seeds[0] ?? '', shards: 12, remembers: false }
  const others: readonly (readonly [Joiner, RegExp])[] = [
    [{ ...ours, shards: 20 }, /numberOfShards is 20, that of the cluster 12/],
    [{ ...ours, remembers: true }, /rememberEntities is true, that of the cluster false/],
    [{ ...ours, folder: join(folder, 'elsewhere') }, /INCOMPATIBLE_SETTINGS[^]*store/],
  ]
  for (const [joiner, reason] of others) {
    const { code, printed, errors, tookMs } = await joinBy(joiner)
    expect(tookMs).toBeLessThan(endsWithinMs)
    expect({ code, printed }).toEqual({ code: 1, printed: '' })
    expect(errors).toMatch(/INCOMPATIBLE_SETTINGS/)
    expect(errors).toMatch(reason)
    await nodes.settle(['a'])
    expect(await a.call('add', '1', 1)).toHaveLength(1)
  }
  expect(await a.call('get', '1')).toBe(8)
})
