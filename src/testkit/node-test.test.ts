import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const door = (room: string): string =>
  JSON.stringify(new URL(`../${room}/index.ts`, import.meta.url).href)

const sample = `
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ActorSystem, Behaviors } from ${door('actor')}
import { BehaviorKit, ManualTime, createTestProbe } from ${door('testkit')}

const time = new ManualTime()
const system = new ActorSystem('sample', { environment: time.environment })
after(() => system.terminate())

test('a probe waits for a timer of manual time', async () => {
  const probe = createTestProbe(system, 'p1')
  system.spawn(Behaviors.withTimers((timers) => {
    timers.startSingle('t', '1h', 'now')
    return (message) => probe.ref.tell(message)
  }))
  await probe.expectNo()
  await time.advance('1h')
  await probe.expect('now')
})

test('a kit runs a behavior', () => {
  const kit = new BehaviorKit(() => Behaviors.stopped())
  kit.run('stop')
  assert.equal(kit.isAlive, false)
})

test('a failure is a thrown error', async () => {
  await createTestProbe(system, 'p2').expect('what never comes')
})
`

let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sherd-testkit-'))
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

test('everything works under node:test, where a failure is a failed test', async () => {
  const file = join(folder, 'sample.test.mts')
  await writeFile(file, sample)
  const output = await runNodeTest(file)
  expect(output).toMatch(/^ok 1 - a probe waits for a timer of manual time$/m)
  expect(output).toMatch(/^ok 2 - a kit runs a behavior$/m)
  expect(output).toMatch(/^not ok 3 - a failure is a thrown error$/m)
  expect(output).toContain("Expected 'what never comes', but probe p2 received nothing")
  expect(output).toMatch(/code: 'PROBE_FAILURE'/)
  expect(output).toMatch(/sample\.test\.mts:\d+/)
})

function runNodeTest(file: string): Promise<string> {
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  const args = ['--import', 'tsx', '--test', '--test-reporter=tap', file]
  // Without it node:test would believe that it runs inside another runner.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined }
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, env, timeout: 25_000 }, (_error, stdout, stderr) => {
      resolve(stdout + stderr)
    })
  })
}
