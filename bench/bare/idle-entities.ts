/**
 * Baseline `bare` of `spawn` and `memory`: what any actor must at least be, an id, an entry in a
 * Map and an object of eight fields, with no mailbox while nothing waits. New entities are started
 * by a microtask, in order; messages wait in one queue that all share.
 */
import { BareRing } from './ring-buffer.ts'

interface BareEntity {
  readonly id: string
  readonly parent: IdleEntities
  readonly behavior: BareBehavior
  isStarted: boolean
  isStopped: boolean
  state: number
  mailbox: undefined
  watchers: undefined
}

interface BareBehavior {
  readonly start: () => void
  readonly handle: (message: unknown) => void
}

export class IdleEntities {
  readonly entities = new Map<string, BareEntity>()
  readonly starting = new BareRing<BareEntity>(1024)
  readonly waiting = new BareRing<BareEntity>(1024)
  readonly messages = new BareRing<unknown>(1024)
  isAwake = false

  spawn(id: string, behavior: BareBehavior): void {
    if (this.entities.has(id)) throw new Error(`there is already an entity ${id}`)
    const entity: BareEntity = {
      id,
      parent: this,
      behavior,
      isStarted: false,
      isStopped: false,
      state: 0,
      mailbox: undefined,
      watchers: undefined,
    }
    this.entities.set(id, entity)
    this.starting.push(entity)
    this.wake()
  }

  tell(id: string, message: unknown): void {
    const entity = this.entities.get(id)
    if (entity === undefined) return
    this.waiting.push(entity)
    this.messages.push(message)
    this.wake()
  }

  wake(): void {
    if (this.isAwake) return
    this.isAwake = true
    queueMicrotask(this.drain)
  }

  readonly drain = (): void => {
    while (this.starting.size > 0) {
      const entity = this.starting.shift()
      entity.isStarted = true
      entity.behavior.start()
    }
    while (this.waiting.size > 0) {
      const entity = this.waiting.shift()
      entity.state++
      entity.behavior.handle(this.messages.shift())
    }
    this.isAwake = false
  }
}
