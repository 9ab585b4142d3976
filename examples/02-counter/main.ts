/**
 * A counter that lives once, wherever it is called from, and remembers. Run it twice: the second run goes on where the
 * first one ended. In a program of your own, write 'sherd' instead of '../../src/index.ts'.
 */
import { defineEntity, startNode } from '../../src/index.ts'

const Counter = defineEntity('Counter', {
  state: () => ({ count: 0 }),
  events: { Incremented: (state, by: number) => ({ count: state.count + by }) },
  commands: {
    increment: (self, by: number) => {
      if (by < 1) throw new RangeError('a counter only counts up')
      return self.persist('Incremented', by).count
    },
    get: (self) => self.state.count,
  },
})

// The folder may be given as the first word; all nodes of this machine can share it.
const [, , folder = './sherd-data'] = process.argv
await using node = await startNode({ entities: [Counter], store: { folder } })

const visits = node.entity(Counter, 'visits')
const before = await visits.get()
console.log(before === 0 ? 'Nobody has been here yet.' : 'Somebody has been here before.')

// Durable when it resolves.
const after = await visits.increment(2)
console.log(`${after - before} visits counted.`)

try {
  await visits.increment(-1)
} catch (error) {
  console.log((error as Error).message)
}
console.log((await node.explain(Counter, 'visits')).text)
