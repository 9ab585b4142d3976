import { describe, expectTypeOf, test } from 'vitest'
import { defineEntity, type HandleOf } from './define-entity.ts'
import type { CommandFailed } from './entity-errors.ts'
import type { TravellingValue } from './travelling-types.ts'

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

class Money {
  readonly cents = 1
  plus(cents: number): number {
    return this.cents + cents
  }
}

/** Without methods, but with something private: nothing else is one. */
class Point {
  readonly #x: number = 0
  static xOf(point: Point): number {
    return point.#x
  }
}

describe('what travels', () => {
  interface Told {
    readonly when: Date
    readonly optional?: bigint | undefined
    readonly bytes: Uint8Array
    readonly seen: ReadonlySet<string>
    readonly byName: Map<string, { tags: string[] }>
    readonly pair: readonly [number, string?]
    readonly error: Error
    readonly nothing: null
    readonly anything: unknown
    readonly more?: Told
  }

  test('data of every kind does, as it is', () => {
    expectTypeOf<Told>().toExtend<TravellingValue<Told>>()
    expectTypeOf<TravellingValue<Told>>().toExtend<Told>()
    expectTypeOf<Json>().toExtend<TravellingValue<Json>>()
    expectTypeOf<TravellingValue<Json>>().toExtend<Json>()
    expectTypeOf<TravellingValue<unknown>>().toBeUnknown()
    expectTypeOf<TravellingValue<ReturnType<typeof JSON.parse>>>().toBeAny()
    expectTypeOf<TravellingValue<void>>().toBeVoid()
    expectTypeOf<TravellingValue<never>>().toBeNever()
    const Everything = defineEntity('Everything', {
      state: (): Told[] => [],
      events: { Heard: (state, told: Told, ...more: readonly Told[]) => [...state, told, ...more] },
      commands: {
        hear: (self, told: Told, more: Told[] = []) => self.persist('Heard', told, ...more),
        later: async (self) => new Map([[self.id, self.state]]),
        fail: (): never => {
          throw new Error('never answers')
        },
      },
    })
    type Hear = HandleOf<typeof Everything>['hear']
    expectTypeOf<Parameters<Hear>>().toEqualTypeOf<[told: Told, more?: Told[] | undefined]>()
  })

  test('what the wire refuses does not', () => {
    type Fails<Value> = Value extends TravellingValue<Value> ? false : true
    expectTypeOf<Fails<() => void>>().toEqualTypeOf<true>()
    expectTypeOf<Fails<symbol>>().toEqualTypeOf<true>()
    expectTypeOf<Fails<{ readonly run?: () => void }>>().toEqualTypeOf<true>()
    expectTypeOf<Fails<readonly (string | symbol)[]>>().toEqualTypeOf<true>()
    expectTypeOf<Fails<Map<string, () => void>>>().toEqualTypeOf<true>()
    expectTypeOf<Fails<Money>>().toEqualTypeOf<true>()
    expectTypeOf<Fails<Point>>().toEqualTypeOf<true>()
    expectTypeOf<Fails<RegExp>>().toEqualTypeOf<true>()
    expectTypeOf<Fails<Promise<number>>>().toEqualTypeOf<true>()
    expectTypeOf<Fails<WeakMap<object, number>>>().toEqualTypeOf<true>()
  })

  test('the code of what was thrown is a text', () => {
    expectTypeOf<CommandFailed['errorCode']>().toEqualTypeOf<string | undefined>()
  })
})
