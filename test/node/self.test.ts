/** What `self` can do beside its state: speak to the operator, tell the time, call others. */
import { describe, expect, test } from 'vitest'
import { type CommandFailed, defineEntity, type PlainSelf } from '../../src/entity/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import { simulate, type Simulation, startSimulatedNode } from '../../src/simulation/index.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { Counter, nodeFor, temporaryFolder } from './nodes.ts'

type AnySelf = Omit<PlainSelf<unknown>, 'state'>

const commands = {
  say: (self: AnySelf, words: string): void => {
    self.log.info({ words }, 'said')
    self.log.info({ entityId: 'another' }, 'said again')
  },
  now: (self: AnySelf): number => self.now(),
  count: (self: AnySelf, id: string): Promise<number> => self.entity(Counter, id).increment(2),
  quick: (self: AnySelf): Promise<number> =>
    self.entity(Counter, 'a', { timeout: '1s', signal: self.signal }).get(),
}

const Plain = defineEntity('Plain', {
  state: () => 0,
  commands: {
    ...commands,
    self: (self): Promise<number> => self.entity(Plain, self.id).now(),
    other: (self, id: string): Promise<number> => self.entity(Plain, id).now(),
  },
})
const Durable = defineEntity('Durable', {
  state: () => ({ told: 0 }),
  events: { Told: (state, by: number) => ({ told: state.told + by }) },
  commands: {
    ...commands,
    self: (self): Promise<number> => self.entity(Durable, self.id).now(),
    other: (self, id: string): Promise<number> => self.entity(Durable, id).now(),
    told: (self) => self.state.told,
    /** Its event is stored after the call has ended, if at all. */
    tellAndFail: async (self): Promise<void> => {
      self.persist('Told', 1)
      await self.entity(Counter, 'kept').increment(1)
      throw new Error('after the call')
    },
  },
})

/** Both have these commands. */
const handleOf = (node: SherdNode, kind: typeof Plain | typeof Durable, id: string) =>
  node.entity(kind as typeof Plain, id)

/** What the promise was rejected with. */
const failure = (call: Promise<unknown>): Promise<CommandFailed> =>
  call.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error as CommandFailed,
  )

describe.each([Plain, Durable])('in $name', (Kind) => {
  test('self.log says on every line who speaks', async () => {
    const logger = new CapturedLogs()
    const node = await nodeFor({ entities: [Kind], environment: { logger } })
    await handleOf(node, Kind, 'ann').say('tea')
    const fields = { entityType: Kind.name, node: node.address }
    expect(logger.lines.filter(({ message }) => message.startsWith('said'))).toMatchObject([
      { level: 'info', message: 'said', fields: { ...fields, entityId: 'ann', words: 'tea' } },
      { level: 'info', message: 'said again', fields: { ...fields, entityId: 'another' } },
    ])
  })

  test('self.entity calls what lives here, with the options of a call', async () => {
    const node = await nodeFor({ entities: [Kind, Counter] })
    expect(await handleOf(node, Kind, 'ann').count('a')).toBe(2)
    expect(await handleOf(node, Kind, 'ann').quick()).toBe(2)
    expect(await handleOf(node, Kind, 'ann').other('bob')).toBeGreaterThan(0)
  })

  test('self.entity calls what is a proxy here', async () => {
    const store = { folder: temporaryFolder() }
    const host = await nodeFor({ entities: [Counter], store })
    const seeds = [host.address]
    const node = await nodeFor({ entities: [Kind], proxies: [Counter], seeds, store })
    expect(await handleOf(node, Kind, 'ann').count('a')).toBe(2)
  })

  test('self.entity says at once what it cannot call', async () => {
    const node = await nodeFor({ entities: [Kind] })
    const entity = handleOf(node, Kind, 'ann')
    const unknown = await failure(entity.count('a'))
    expect(unknown.errorCode).toBe('ENTITY_NOT_ON_NODE')
    expect(unknown.message).toContain(
      `This node does not know the entity type 'Counter'; it knows ${Kind.name}. Add it to`,
    )
    const itself = await failure(entity.self())
    expect(itself.errorCode).toBe('CALL_TO_ITSELF')
    expect(itself.message).toContain(
      `A command of ${Kind.name} 'ann' wants to call its own entity. The call would wait until`,
    )
  })

  test('self.now is the virtual time of a simulation', async () => {
    const scenario = async (simulation: Simulation): Promise<void> => {
      const options = { entities: [Kind] }
      const node = await simulation.settle(startSimulatedNode(simulation, 'a', options))
      const { clock } = node.system.environment
      const first = await simulation.settle(handleOf(node, Kind, 'ann').now())
      await simulation.run({ for: '1h' })
      const second = await simulation.settle(handleOf(node, Kind, 'ann').now())
      expect(second - first).toBeGreaterThanOrEqual(3_600_000)
      expect(second).toBeLessThanOrEqual(clock.wallMs())
    }
    await simulate('self-now', { scenario, seed: 1 })
  })
})

test('what a command has called stays when the command fails afterwards', async () => {
  const node = await nodeFor({ entities: [Durable, Counter] })
  expect((await failure(node.entity(Durable, 'ann').tellAndFail())).code).toBe('COMMAND_FAILED')
  expect(await node.entity(Durable, 'ann').told()).toBe(0)
  expect(await node.entity(Counter, 'kept').get()).toBe(1)
})
