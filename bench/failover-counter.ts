/**
 * What `failover` calls: durable counters on nodes with the role `host`. A call carries the number of its operation, so
 * that a caller may repeat it, and a counter notices by itself when an operation was lost or counted twice.
 */
import { defineEntity } from '../src/entity/index.ts'

export const hostRole = 'host'
export const counterIds = Array.from({ length: 100 }, (_, index) => `counter-${index}`)

/** What a counter says after an operation, and the process that it lives in. */
export interface CounterReply {
  readonly count: number
  readonly pid: number
}

export const Counter = defineEntity('FailoverCounter', {
  role: hostRole,
  state: () => ({ count: 0, last: 0 }),
  events: {
    Counted: (state, operation: number) => ({ count: state.count + 1, last: operation }),
  },
  commands: {
    /** Counts the operation, once however often it is said. The caller had its answer to all operations before. */
    count(self, operation: number): CounterReply {
      const { count, last } = self.state
      if (operation > last + 1) throw new Error(`${operation} after ${last}: an answer was lost`)
      const isNew = operation === last + 1
      return { count: isNew ? self.persist('Counted', operation).count : count, pid: process.pid }
    },
  },
})
