import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type EventAdapter, versionedEvents } from '../../src/persistence/index.ts'
import { ValueCodec } from '../../src/serialization/internals.ts'
import { append, type Appended, get, list, type ListOptions } from './list.ts'
import { manualScene, type ManualScene } from './scene.ts'

describe('events of several versions', () => {
  let scene: ManualScene
  beforeEach(() => (scene = manualScene()))
  afterEach(() => scene.end())

  const live = async (items: string, options: ListOptions = {}): Promise<void> => {
    const actor = scene.system.spawn(list(scene.memory, options))
    await actor.ask<unknown>((to) => append(items, to))
    actor.tell({ type: 'Stop' })
    await scene.system.whenStopped(actor)
  }
  const next = (options: ListOptions = {}) =>
    scene.system.spawn(list(scene.memory, options)).ask<unknown>(get)

  const second = versionedEvents<Appended>({
    version: 2,
    upcast: { 1: ({ item }: Appended) => (item === 'x' ? undefined : { item: `${item}1` }) },
  })

  test('are brought to the newest when they are read, and left out if they shall be', async () => {
    await live('ax')
    await live('b', { eventAdapter: second })
    const third = versionedEvents<Appended>({
      version: 3,
      upcast: {
        1: ({ item }: Appended) => (item === 'x' ? undefined : { item: `${item}1` }),
        2: ({ item }: Appended) => ({ item: `${item}2` }),
      },
    })
    expect(await next({ eventAdapter: second })).toBe('a1b')
    expect(await next({ eventAdapter: third })).toBe('a12b2')
  })

  test('of a version that is not known keep the entity from starting', async () => {
    await live('a', { eventAdapter: second })
    await expect(next({ eventAdapter: versionedEvents<Appended>({ version: 1 }) })).rejects.toThrow(
      "The event adapter could not read event 1: it was stored with 'v2', and this program knows versions up to 1. Run a version that knows it.",
    )
  })

  test('need a step from every one to the next', () => {
    expect(() => versionedEvents({ version: 3, upcast: { 2: () => 0 } })).toThrow(
      'upcast lacks a step from version 1 to 2',
    )
    expect(() => versionedEvents({ version: 0 })).toThrow('must be a whole number of at least 1')
  })

  test('a manifest is stored with the event, and given back', async () => {
    const manifests: string[] = []
    const eventAdapter: EventAdapter<Appended> = {
      toJournal: ({ item }) => item,
      manifest: ({ item }) => (item === 'b' ? '' : `of ${item}`),
      fromJournal: (stored, manifest) => {
        manifests.push(manifest)
        return [{ item: stored as string }]
      },
    }
    await live('abc', { eventAdapter })
    expect(await next({ eventAdapter })).toBe('abc')
    expect(manifests).toEqual(['of a', '', 'of c'])
    const stored: unknown[] = []
    const codec = new ValueCodec({ use: 'stored' })
    const range = { persistenceId: 'List|1', fromSequenceNr: 1, toSequenceNr: 2 }
    await scene.memory.read(range, ({ bytes }) => void stored.push(codec.decode(bytes)))
    expect(stored).toEqual([{ $manifest: 'of a', event: 'a' }, 'b'])
  })

  test('a schema refuses an event before it is applied or stored', async () => {
    const event = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: (value: unknown) =>
          (value as Appended).item === 'b' ? { issues: [{ message: 'no b' }] } : { value },
      },
    }
    const actor = scene.system.spawn(list(scene.memory, { schemas: { event } }))
    actor.tell(append('ab'))
    await scene.system.whenStopped(actor)
    expect(await scene.memory.highestSequenceNr('List|1')).toBe(0)
    expect(scene.time.logs.lines.map(({ fields }) => String(fields['err']))).toEqual([
      expect.stringContaining('An event is refused by its schema: no b. Nothing was stored.'),
    ])
  })
})
