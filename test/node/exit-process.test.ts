/** What still runs when a node ends the process it lives in. */
import { EventEmitter, once } from 'node:events'
import { expect, test } from 'vitest'
import { silentProcess } from '../../src/testkit/silent-process.ts'
import { nodeFor } from './nodes.ts'

test('lets those run who wait for the end of the node before the process exits', async () => {
  const story: string[] = []
  const host = new EventEmitter()
  const exits = once(host, 'exit')
  const exit = (code: number): void => {
    story.push(`exit ${code}`)
    host.emit('exit')
  }
  const node = await nodeFor({
    environment: { process: { ...silentProcess, exit } },
    settings: { actor: { exitProcess: true } },
  })
  void node.whenStopped.then(async ({ type }) => {
    await Promise.resolve()
    story.push(`told of ${type}`)
  })
  void node.stop().then(() => story.push('stopped'))
  await exits
  const told = ['stopped', 'told of actor-system-terminate']
  expect([...story.slice(0, -1).sort(), story.at(-1)]).toEqual([...told, 'exit 0'])
})
