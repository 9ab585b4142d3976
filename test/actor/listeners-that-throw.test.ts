import { expect, describe, test } from 'vitest'
import { DeadLetter, defaultShutdownPhases, PoisonPill } from '../../src/actor/index.ts'
import { AssertionFailed } from '../../src/foundation/assert.ts'
import { nothingMayEscape, outcomeOf, Stage } from './stage.ts'

const failures: Readonly<Record<string, Error>> = {
  'an error': new Error('boom'),
  // As one of ours, which of an actor would end the system.
  'a failed assertion': new AssertionFailed('boom'),
}

describe('a listener of a user that throws', () => {
  nothingMayEscape()

  for (const [what, failure] of Object.entries(failures)) {
    const throws = (): never => {
      throw failure
    }
    const rejects = (): Promise<never> => Promise.reject(failure)

    for (const [how, listener] of Object.entries({ throws, rejects })) {
      test(`to the event stream does not end the system: ${how} ${what}`, async () => {
        const stage = new Stage()
        stage.system.eventStream.subscribe(DeadLetter, () => listener() as never)
        const gone = await stage.start<string>(() => undefined)
        await stage.tell(gone, PoisonPill as never)
        await stage.tell(gone, 'lost')
        expect(stage.linesOn(failure).length).toBeGreaterThan(0)
        const said: string[] = []
        const ref = await stage.start<string>((message) => void said.push(message))
        await stage.tell(ref, 'a')
        expect([said, stage.system.shutdown.reason]).toEqual([['a'], undefined])
      })

      test(`in every phase of the shutdown does not hold it up: ${how} ${what}`, async () => {
        const stage = new Stage()
        const phases = Object.keys(defaultShutdownPhases)
        for (const phase of phases) stage.system.shutdown.addTask(phase, 'throws', listener)
        await stage.system.terminate()
        await stage.system.whenTerminated
        expect(stage.linesOn(failure)).toHaveLength(phases.length)
        expect(stage.system.shutdown.reason).toEqual({ type: 'actor-system-terminate' })
      })
    }
  }

  test('for the end of an actor is the business of whoever waits: others hear of it all the same', async () => {
    const stage = new Stage()
    const ref = await stage.start<string>(() => undefined)
    const failing = stage.system.whenStopped(ref).then(() => {
      throw new Error('boom')
    })
    const { ends } = outcomeOf(failing)
    const other = stage.system.whenStopped(ref)
    await stage.tell(ref, PoisonPill as never)
    await other
    expect(ends).toEqual([new Error('boom')])
    expect(stage.system.shutdown.reason).toBeUndefined()
  })
})
