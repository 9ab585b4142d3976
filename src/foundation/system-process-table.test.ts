import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { describe, expect, onTestFinished, test } from 'vitest'
import { compiledFile } from '../../test/processes/harness/compiled.ts'
import { systemProcess } from './system-process.ts'
import { systemProcessTable } from './system-process-table.ts'

const isLinux = process.platform === 'linux'
const module = JSON.stringify(new URL('system-process.ts', import.meta.url))
const say = `import(${module}).then(({ systemProcess }) => console.log(systemProcess.identity))`

/** A process that says its identity and lives until it is ended. */
const start = async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module'])
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.end(`setInterval(() => {}, 1000); await ${say}`)
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const identity = (await lines.next()).value as string
  const end = async (): Promise<void> => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { identity, pid: child.pid ?? 0, end }
}

/** With another part in place of the one at this index: host, number, start. */
const forged = (identity: string, index: number, part: string): string =>
  identity
    .split(' ')
    .map((own, at) => (at === index ? part : own))
    .join(' ')

describe('the identity of a process', () => {
  test('names this process, always the same way, and it is not gone', () => {
    const { identity } = systemProcess
    expect(identity).toMatch(new RegExp(`^\\S+ ${process.pid} \\d+$`))
    expect(systemProcess.identity).toBe(identity)
    expect(systemProcess.isGone(identity ?? '')).toBe(false)
  })

  test('tells when a process has ended', async () => {
    const { identity, pid, end } = await start()
    expect(identity).toMatch(new RegExp(`^${systemProcessTable().host} ${pid} \\d+$`))
    expect(systemProcess.isGone(identity)).toBe(false)
    if (isLinux) expect(systemProcess.isRunning(identity)).toBe(true)
    await end()
    expect(systemProcess.isGone(identity)).toBe(true)
    expect(systemProcess.isRunning(identity)).toBe(false)
  })

  test('tells a process from a later one of the same number only where starts can be read', () => {
    const former = forged(systemProcess.identity ?? '', 2, '1')
    expect(systemProcess.isGone(former)).toBe(isLinux)
  })

  test('proves nothing about a process of another host', async () => {
    const { identity, end } = await start()
    await end()
    const [host = ''] = identity.split(' ')
    for (const other of [`${host}1`, host.slice(1), 'elsewhere', host.replace('/', '/1')]) {
      if (other !== host) expect(systemProcess.isGone(forged(identity, 0, other))).toBe(false)
    }
  })

  test('is that of the process in a worker thread as well, or one that is not gone', async () => {
    const source = pathToFileURL(compiledFile(new URL('system-process.ts', import.meta.url)))
    const worker = new Worker(
      `const { parentPort } = require('node:worker_threads')
      const tell = ({ systemProcess }) => parentPort.postMessage(systemProcess.identity)
      import(${JSON.stringify(source)}).then(tell)`,
      { eval: true },
    )
    onTestFinished(async () => void (await worker.terminate()))
    const [identity] = (await once(worker, 'message')) as [string]
    if (isLinux) expect(identity).toBe(systemProcess.identity)
    expect(systemProcess.isGone(identity)).toBe(false)
  })
})

describe.runIf(isLinux)('the processes of Linux', () => {
  test('take one that has ended, and that its parent has not asked for, for gone', async () => {
    const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 60'])
    onTestFinished(() => void parent.kill('SIGKILL'))
    const lines = createInterface(parent.stdout)[Symbol.asyncIterator]()
    const pid = Number((await lines.next()).value)
    const { see } = systemProcessTable()
    await expect.poll(() => see(pid)).toBe('none')
  })
})
