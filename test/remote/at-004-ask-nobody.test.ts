import { describe, expect, test } from 'vitest'
import { type ActorRef, AskTargetTerminated, DeadLetter } from '../../src/actor/index.ts'
import { stageForTests } from './stage.ts'

describe('AT-004 Ask', () => {
  const stage = stageForTests('memory')

  test('of an actor that never existed fails at once, and the question is a dead letter', async () => {
    const { remoting, system } = await stage.start()
    const letters: DeadLetter[] = []
    system.eventStream.subscribe(DeadLetter, (letter) => void letters.push(letter))
    const nobody = remoting.refAt(remoting.node, '/user/nobody') as ActorRef<{ text: string }>
    const asked = nobody.ask(() => ({ text: 'hi' }), { timeout: '10m' })
    await expect(asked).rejects.toBeInstanceOf(AskTargetTerminated)
    await expect(asked).rejects.toThrow('had already been terminated')
    expect(letters).toMatchObject([{ message: { text: 'hi' }, reason: 'no-such-actor' }])
  })
})
