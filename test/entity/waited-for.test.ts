/** What a timeout says about the entity itself. */
import { describe, expect, test } from 'vitest'
import { type CallTimeout, defineEntity } from '../../src/entity/index.ts'
import { type Journal, MemoryJournal } from '../../src/persistence/index.ts'
import { nodeFor } from '../node/nodes.ts'
import { outcome } from './stage.ts'

const thoughts: (() => void)[] = []
const commands = {
  ponder: (_self: unknown) => new Promise<void>((resolve) => void thoughts.push(resolve)),
  get: (_self: unknown) => 1,
}
const Thinker = defineEntity('Thinker', { state: () => 0, commands })
const Writer = defineEntity('Writer', {
  state: () => 0,
  events: { Written: (state) => state + 1 },
  commands,
})

const shortly = { timeout: '50ms' } as const

describe('a call that timed out says what it waited for', () => {
  test.each([Thinker, Writer])('$name: a command that has not ended', async (entity) => {
    const node = await nodeFor({ entities: [Thinker, Writer] })
    const errors = [
      await outcome(node.entity(entity, 'a', shortly).ponder()),
      await outcome(node.entity(entity, 'a', shortly).get()),
    ]
    const place = 'It lives on this node, and the entity runs.'
    const why =
      'Its command ponder has not ended, and the next call waits for that: look at what the command awaits, or allow more time.'
    const [first, second] = errors as CallTimeout[]
    expect([first?.code, second?.code]).toEqual(['CALL_TIMEOUT', 'CALL_TIMEOUT'])
    expect(first?.waitedFor).toContain(`${place} ${why}`)
    expect(second?.waitedFor).toContain(`${place} One message waits in its mailbox. ${why}`)
    const third = outcome(node.entity(entity, 'a').get())
    const explained = await node.explain(entity, 'a')
    expect(explained.waiting).toBe(2)
    expect(explained.text).toContain(`${place} 2 messages wait in its mailbox. ${why}`)
    expect(await node.entity(entity, 'b').get()).toBe(1)
    expect((await node.explain(entity, 'b')).text).toMatch(/the entity runs\.$/)
    for (const end of thoughts.splice(0)) end()
    expect(await third).toBe(1)
  })

  test('a store that has not given its events', async () => {
    const store = new SlowToRead()
    const node = await nodeFor({ entities: [Writer], store })
    const error = (await outcome(node.entity(Writer, 'a', shortly).get())) as CallTimeout
    expect(error.waitedFor).toContain(
      'It is being recovered: the store has not given all its events yet. If that is often so, look at the store and at how many events it has.',
    )
    store.goOn()
    expect(await node.entity(Writer, 'a').get()).toBe(1)
    expect((await node.explain(Writer, 'a')).text).toMatch(/the entity runs\.$/)
  })
})

/** A journal in memory that takes its time over the streams of writers. */
class SlowToRead extends MemoryJournal {
  goOn: () => void = () => undefined
  readonly #mayGoOn = new Promise<void>((resolve) => (this.goOn = resolve))

  override async claim(...args: Parameters<Journal['claim']>): ReturnType<Journal['claim']> {
    if (args[0].startsWith('Writer')) await this.#mayGoOn
    return super.claim(...args)
  }
}
