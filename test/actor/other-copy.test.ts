import { expect, test, vi } from 'vitest'
import { Behaviors } from '../../src/actor/index.ts'
import { Stage } from './stage.ts'

/** As when two versions of a dependency each bring one. */
async function otherCopy(): Promise<typeof Behaviors> {
  vi.resetModules()
  const other = await import('../../src/actor/index.ts')
  return other.Behaviors
}

test('same and unhandled of another copy of the package mean what ours mean', async () => {
  const other = await otherCopy()
  expect(other.same).not.toBe(Behaviors.same)
  const stage = new Stage()
  for (const kind of ['same', 'unhandled'] as const) {
    const sync = await stage.start<string>(() => other[kind])
    const async = await stage.start<string>(() => Promise.resolve(other[kind]))
    await stage.tell(sync, `${kind} 1`, `${kind} 2`)
    await stage.tell(async, `${kind} 3`)
  }
  expect(stage.losses).toEqual([
    'UnhandledMessage unhandled 1',
    'UnhandledMessage unhandled 2',
    'UnhandledMessage unhandled 3',
  ])
})

for (const how of ['sync', 'async'] as const) {
  test(`unhandled of another copy makes a death pact as ours does, ${how}`, async () => {
    const other = await otherCopy()
    const stage = new Stage()
    const watched = await stage.start<string>(() => Behaviors.stopped())
    const answer = how === 'sync' ? other.unhandled : Promise.resolve(other.unhandled)
    const ref = await stage.start(
      Behaviors.setup<string>((context) => {
        context.watch(watched)
        return Behaviors.receiveSignal<string>({ Terminated: () => answer })
      }),
    )
    await stage.tell(watched, 'end')
    expect(stage.isTerminated(ref)).toBe(true)
  })
}
