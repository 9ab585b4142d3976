import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { compiledFile } from '../processes/harness/compiled.ts'

const holderFile = compiledFile(new URL('./postgres-holder.ts', import.meta.url))

interface Held {
  readonly pid: number
  readonly folder: string
  readonly url: string
}

let holder: ChildProcess | undefined
afterEach(() => void holder?.kill('SIGKILL'))

async function hold(...words: readonly string[]): Promise<Held> {
  holder = spawn(process.execPath, [holderFile, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface(holder.stdout as NodeJS.ReadableStream)
  const [line] = (await once(lines, 'line')) as [string]
  return JSON.parse(line) as Held
}

async function killHolder(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  const exited = once(holder as ChildProcess, 'exit')
  holder?.kill(signal)
  await exited
}

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'a test server and its folder are gone after the %s of whoever started it',
  async (signal) => {
    const { url, folder } = await hold()
    const client = new Client({ connectionString: url })
    client.on('error', () => undefined)
    await client.connect()
    const cut = new Promise<void>((resolve) => client.once('end', resolve))
    await killHolder(signal)
    await cut
    await vi.waitUntil(() => !existsSync(folder), 20_000)
    await expect(new Client({ connectionString: url }).connect()).rejects.toThrow('ECONNREFUSED')
  },
)

test('the folder is gone also when the server had been killed before', async () => {
  const { pid, folder } = await hold('--killed')
  expect([pid, existsSync(folder)]).toEqual([0, true])
  await killHolder('SIGKILL')
  await vi.waitUntil(() => !existsSync(folder), 20_000)
})
