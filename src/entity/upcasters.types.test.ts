import { describe, expectTypeOf, test } from 'vitest'
import { defineEntity } from './define-entity.ts'
import type { EventOf } from './entity-types.ts'

const common = { state: () => ({ count: 0 }), commands: {} }

describe('what is said of upcasters', () => {
  test('upcasters give events, one, several or none', () => {
    const Upcast = defineEntity('Upcast', {
      ...common,
      events: {
        Added: (state, by: number) => ({ count: state.count + by }),
        Named: (state, _name: string) => state,
        Reset: () => ({ count: 0 }),
      },
      upcast: {
        One: (by: number) => ['Added', by],
        Bare: () => ['Reset'],
        Many: (by: number, name: string) => [['Added', by], ['Named', name], ['Reset']],
        None: () => [],
        Perhaps: (by: number) => (by > 0 ? ['Added', by] : []),
        Added: (by?: number) => ['Added', by ?? 1],
        Whatever: (...says: readonly unknown[]) => ['Named', String(says[0])],
      },
    })
    expectTypeOf<EventOf<typeof Upcast.events>>().toEqualTypeOf<
      | readonly [name: 'Added', by: number]
      | readonly [name: 'Named', _name: string]
      | readonly [name: 'Reset']
    >()
  })

  test('upcasters that give no events of this version are refused', () => {
    const events = { Added: (state: { readonly count: number }, _by: number) => state }
    // @ts-expect-error there is no such event
    void (() => defineEntity('Up', { ...common, events, upcast: { One: () => ['Aded', 1] } }))
    // @ts-expect-error it says a number
    void (() => defineEntity('Up', { ...common, events, upcast: { One: () => ['Added', 'x'] } }))
    // @ts-expect-error it says something
    void (() => defineEntity('Up', { ...common, events, upcast: { One: () => ['Added'] } }))
    // @ts-expect-error one of them is none
    void (() => defineEntity('Up', { ...common, events, upcast: { One: () => [['Added', 1], 7] } }))
    // @ts-expect-error it forgets to return
    void (() => defineEntity('Up', { ...common, events, upcast: { One: () => undefined } }))
  })
})
