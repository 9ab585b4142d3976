import { execFile } from 'node:child_process'
import { expect, test } from 'vitest'

/** Starts a real process whose actor lets a rejection escape; answers its exit code and what it said. */
function run(settings: string): Promise<{ readonly code: unknown; readonly said: string }> {
  const source = `
    import { ActorSystem, Behaviors } from ${JSON.stringify(new URL('../../src/actor/index.ts', import.meta.url))}
    const system = new ActorSystem('child', { settings: ${settings} })
    system.shutdown.addTask('service-stop', 'close', () => console.log('closed in order'))
    const leaky = Behaviors.receiveMessage(() => void Promise.reject(new Error('nobody awaits me')))
    system.spawn(leaky).tell('go')
    setInterval(() => undefined, 1_000)`
  return new Promise((resolve) => {
    const args = ['--import', 'tsx', '--input-type=module']
    const child = execFile(process.execPath, args, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, said: stdout + stderr }),
    )
    child.stdin?.end(source)
  })
}

test('a rejection that escapes an actor ends the process in order when it is ours to end', async () => {
  const { code, said } = await run('{ exitProcess: true }')
  expect(code).toBe(255)
  expect(said).toContain('nobody awaits me')
  expect(said).toContain('closed in order')
})

test('a rejection that escapes an actor is left to Node when the process is not ours', async () => {
  const { code, said } = await run('{}')
  expect(code).toBe(1)
  expect(said).not.toContain('closed in order')
})
