import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'

/** A real process with `script` in it; signals cannot be tried on the process that runs the tests. */
const start = (script: string) => {
  const source = `
    import { systemProcess } from ${JSON.stringify(new URL('system-process.ts', import.meta.url))}
    setInterval(() => {}, 1000)
    let nowMs = 0
    performance.now = () => nowMs
    process.on('SIGUSR2', () => console.log('a second later', (nowMs += 1000) / 1000))
    ${script}
    console.log('ready')`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module'])
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.end(source)
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => (await lines.next()).value as string
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  return { child, nextLine, ended }
}

describe('systemProcess', () => {
  test('takes signals that come at once for one', async () => {
    const { child, nextLine } = start(
      'systemProcess.onTerminationSignal((signal) => console.log(signal))',
    )
    expect(await nextLine()).toBe('ready')
    child.kill('SIGINT')
    expect(await nextLine()).toBe('SIGINT')
    child.kill('SIGTERM')
    child.kill('SIGUSR2')
    expect(await nextLine()).toBe('a second later 1')
  })

  test('reports the first signal and lets the second end the process', async () => {
    const { child, nextLine, ended } = start(
      'systemProcess.onTerminationSignal((signal) => console.log(signal))',
    )
    expect(await nextLine()).toBe('ready')
    child.kill('SIGTERM')
    expect(await nextLine()).toBe('SIGTERM')
    child.kill('SIGUSR2')
    expect(await nextLine()).toBe('a second later 1')
    child.kill('SIGINT')
    expect(await ended).toEqual([null, 'SIGINT'])
  })

  test('reports the first signal to every listener', async () => {
    const { child, nextLine, ended } = start(`
      systemProcess.onTerminationSignal((signal) => console.log('a', signal))
      systemProcess.onTerminationSignal((signal) => console.log('b', signal))`)
    expect(await nextLine()).toBe('ready')
    child.kill('SIGINT')
    expect([await nextLine(), await nextLine()]).toEqual(['a SIGINT', 'b SIGINT'])
    child.kill('SIGUSR2')
    expect(await nextLine()).toBe('a second later 1')
    child.kill('SIGTERM')
    expect(await ended).toEqual([null, 'SIGTERM'])
  })

  test('takes many listeners without a warning', async () => {
    const { child, nextLine } = start(`
      process.on('warning', (warning) => console.log(warning.name))
      for (let count = 0; count < 20; count++) systemProcess.onTerminationSignal(() => {})
      setImmediate(() => console.log('quiet'))`)
    expect([await nextLine(), await nextLine()]).toEqual(['ready', 'quiet'])
    child.kill('SIGUSR2')
    expect(await nextLine()).toBe('a second later 1')
  })

  test('does not report to a listener that was removed', async () => {
    const { child, nextLine, ended } = start(
      'systemProcess.onTerminationSignal(() => console.log("heard")).remove()',
    )
    expect(await nextLine()).toBe('ready')
    child.kill('SIGTERM')
    expect(await ended).toEqual([null, 'SIGTERM'])
  })

  test('reports errors and rejections that nobody caught, until nobody listens', async () => {
    const { nextLine, ended } = start(`
      const hook = systemProcess.onEscapedError((error) => {
        console.log(error.message)
        if (error.message === 'thrown') Promise.reject(new Error('rejected'))
        else {
          hook.remove()
          setImmediate(() => { throw new Error('unheard') })
        }
      })
      setImmediate(() => { throw new Error('thrown') })`)
    expect(await nextLine()).toBe('ready')
    expect([await nextLine(), await nextLine()]).toEqual(['thrown', 'rejected'])
    expect(await ended).toEqual([1, null])
  })

  test('ends the process with the code it is given', async () => {
    const { ended } = start('systemProcess.exit(3)')
    expect(await ended).toEqual([3, null])
  })
})
