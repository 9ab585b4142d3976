import { describe, expect, test } from 'vitest'
import { Behaviors } from '../../src/actor/index.ts'
import { Gate, type LocalRef, spawnGated } from '../../src/actor/internals.ts'
import { Stage } from './stage.ts'

/** An actor behind a gate that notes what it handles, and hears of its ends. */
function gated(stage: Stage) {
  const handled: string[] = []
  const ended: string[] = []
  const gate = new Gate({ onTerminated: (ref) => void ended.push(ref.name) })
  const behavior = () =>
    Behaviors.setup<string>(() => {
      handled.push('start')
      return Behaviors.receiveMessage<string>((text) => void handled.push(text)).receiveSignal({
        PostStop: () => void handled.push('end'),
      })
    })
  const parent = stage.system.spawnSystemActor(Behaviors.ignore, 'parent') as LocalRef
  const spawn = (name: string) => spawnGated(parent, behavior(), name, gate)
  return { handled, ended, gate, spawn, parent }
}

describe('an actor behind a gate', () => {
  test('handles nothing while it is closed, and everything in order when it opens', async () => {
    const stage = new Stage()
    const { handled, gate, spawn } = gated(stage)
    const cell = spawn('one')!
    cell.send('a')
    await stage.settle()
    gate.close()
    for (const text of ['b', 'c', 'd']) cell.send(text)
    await stage.settle()
    expect(handled).toEqual(['start', 'a'])
    gate.open()
    cell.send('e')
    await stage.settle()
    expect(handled).toEqual(['start', 'a', 'b', 'c', 'd', 'e'])
  })

  test('holds its children still with it, and hears of its own end only', async () => {
    const stage = new Stage()
    const { ended, gate, parent } = gated(stage)
    const heard: string[] = []
    const behavior = Behaviors.setup<string>((context) => {
      const child = context.spawn<string>((text) => void heard.push(text), 'child')
      return (text) => child.tell(text)
    })
    const cell = spawnGated(parent, behavior, 'one', gate)!
    cell.send('a')
    await stage.settle()
    // Handed on before the gate closed, and not yet handled.
    cell.ref.cell?.stateIfAny?.children?.get('child')?.tell('b')
    gate.close()
    await stage.settle()
    expect(heard).toEqual(['a'])
    gate.open()
    await stage.settle()
    expect(heard).toEqual(['a', 'b'])
    cell.stop()
    await stage.settle()
    expect(ended).toEqual(['one'])
  })

  test('does not even start while it is closed', async () => {
    const stage = new Stage()
    const { handled, gate, spawn } = gated(stage)
    gate.close()
    spawn('one')!.send('a')
    await stage.settle()
    expect(handled).toEqual([])
    gate.open()
    await stage.settle()
    expect(handled).toEqual(['start', 'a'])
  })

  test('can be stopped while it is closed, and its keeper hears of it once', async () => {
    const stage = new Stage()
    const { handled, ended, gate, spawn } = gated(stage)
    const cell = spawn('one')!
    await stage.settle()
    gate.close()
    cell.send('never')
    await stage.settle()
    cell.stop()
    await stage.settle()
    expect(handled).toEqual(['start', 'end'])
    expect(ended).toEqual(['one'])
    gate.open()
    await stage.settle()
    expect(stage.lost.map(({ message }) => message)).toEqual(['never'])
  })

  test('its name is free when its keeper hears of its end', async () => {
    const stage = new Stage()
    const handled: string[] = []
    const parent = stage.system.spawnSystemActor(Behaviors.ignore, 'parent') as LocalRef
    const note = (text: string): void => void handled.push(text)
    const gate: Gate = new Gate({
      onTerminated: ({ name }) => {
        if (handled.length < 2) spawnGated(parent, note, name, gate)?.send('second life')
      },
    })
    const first = spawnGated(parent, note, 'one', gate)
    first?.send('first life')
    await stage.settle()
    first?.stop()
    await stage.settle()
    expect(handled).toEqual(['first life', 'second life'])
  })

  test('is not made under a parent that stops', async () => {
    const stage = new Stage()
    const { spawn, parent } = gated(stage)
    parent.cell?.stop()
    expect(spawn('late')).toBeUndefined()
  })
})
