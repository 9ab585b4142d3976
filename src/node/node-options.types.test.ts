import { describe, expectTypeOf, test } from 'vitest'
import { defineEntity } from '../entity/index.ts'
import type { optionsOfNodes } from '../entity/internals.ts'
import type { NodeOptions } from './node-options.ts'
import type { SherdNode } from './sherd-node.ts'

const Lamp = defineEntity('Lamp', {
  role: undefined,
  numberOfShards: undefined,
  passivateAfter: undefined,
  state: () => ({ isOn: false }),
  commands: { isOn: (self) => self.state.isOn },
})

describe('what may be there or not', () => {
  test('can be given as it comes from an environment variable', () => {
    const { SHERD_SECRET: secret, HOST: host, SEEDS: seeds } = process.env
    const options = {
      ...{ entities: [Lamp], secret, host, seeds: seeds?.split(',') },
      advertised: { host, port: undefined },
      environment: { logger: undefined },
      settings: { actor: undefined, concurrentRecoveriesMax: undefined },
    }
    expectTypeOf(options).toExtend<NodeOptions>()
    type Nothing = { readonly [Name in keyof NodeOptions]-?: undefined }
    expectTypeOf<Nothing>().toExtend<NodeOptions>()
  })

  test('is known to defineEntity by its name, which is a misplaced option there', () => {
    // An entity has a name as well, and says so in its own words.
    expectTypeOf<(typeof optionsOfNodes)[number]>().toEqualTypeOf<
      Exclude<keyof NodeOptions, 'name'>
    >()
  })

  test('so can the options of a call', () => {
    const call = (node: SherdNode, timeout?: '5s', signal?: AbortSignal) =>
      node.entity(Lamp, 'hall', { timeout, signal }).isOn()
    expectTypeOf(call).returns.toEqualTypeOf<Promise<boolean>>()
  })
})
