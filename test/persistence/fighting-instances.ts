/**
 * Two instances of one list fight for its stream, on two nodes with one store, while the store is slow, stalls, fails and
 * leaves everybody in doubt, and nodes crash. Clients append texts that are never used twice, and read.
 */
import {
  type ActorRef,
  type Behavior,
  Behaviors,
  SupervisorStrategy,
} from '../../src/actor/index.ts'
import { MemoryJournal, MemoryStore } from '../../src/persistence/index.ts'
import { ValueCodec } from '../../src/serialization/internals.ts'
import type { Simulation } from '../../src/simulation/index.ts'
import { SeededRandom } from '../../src/simulation/internals.ts'
import type { SimulatedJournal } from '../../src/simulation/storage/simulated-journal.ts'
import { faultyJournal } from './faulty-journal.ts'
import { append, get, list, type ListCommand } from './list.ts'

const id = 'List|1'
const nodes = ['a', 'b'] as const
type NodeName = (typeof nodes)[number]

interface Operation {
  /** Undefined for a read. */
  readonly item: string | undefined
  readonly invokedAt: number
  ackedAt: number | undefined
  answer: string | undefined
}

export class Fight {
  readonly operations: Operation[] = []
  readonly store = new MemoryStore({ storeId: 'fight' })
  readonly #simulation: Simulation
  readonly #codec = new ValueCodec({ use: 'stored' })
  readonly #lists = new Map<NodeName, ActorRef<ListCommand>>()
  readonly #journals = new Map<NodeName, SimulatedJournal>()
  readonly #claims: { readonly epoch: number; readonly after: number }[] = []
  readonly #items: string[] = []
  #text = ''
  #isStormy = true
  /** Orders invocations and acknowledgements. */
  #moment = 0

  constructor(simulation: Simulation) {
    this.#simulation = simulation
    const claim = this.store.claim.bind(this.store)
    this.store.claim = (persistenceId, writer) => {
      const claimed = claim(persistenceId, writer)
      this.#claims.push({ epoch: claimed.epoch, after: claimed.highestSequenceNr })
      return claimed
    }
  }

  start(name: NodeName): void {
    const { environment, system } = this.#simulation.node(name)
    const { random } = environment
    const journal = faultyJournal(new MemoryJournal({ store: this.store }), environment, {
      random: new SeededRandom(this.#simulation.seed, `journal ${name} ${random.uid()}`),
      fault: (description) => this.#simulation.fault(description),
    })
    journal.setFaults(
      this.#isStormy
        ? { latencyMeanMs: 10, failsBefore: 0.02, failsUnknown: 0.01 }
        : { latencyMeanMs: 10 },
    )
    this.#journals.set(name, journal)
    const onPersistFailure = SupervisorStrategy.restartWithBackoff({ min: 50, max: 500 })
    const options = random.below(2) === 0 ? { onPersistFailure } : {}
    system.spawn(
      keeper(list(journal, { ...options, writer: name }), (ref) => this.#lists.set(name, ref)),
      'keeper',
    )
    system.spawn(client(() => this.#operate()))
  }

  /** One operation on one of the instances: both are there, and each believes to be alone. */
  #operate(): Promise<void> | undefined {
    const { random } = this.#simulation
    const target = this.#lists.get(nodes[random.below(2)]!)
    const number = this.operations.length
    const item = random.below(4) === 0 ? undefined : `<${number}>`
    const operation: Operation = {
      item,
      invokedAt: ++this.#moment,
      ackedAt: undefined,
      answer: undefined,
    }
    this.operations.push(operation)
    const command = (replyTo: ActorRef<unknown>): ListCommand =>
      item === undefined ? get(replyTo) : { ...append('', replyTo), items: [item] }
    return target?.ask<unknown>(command, { timeout: '2s' }).then(
      (answer) => this.#acked(operation, String(answer)),
      () => undefined,
    )
  }

  #acked(operation: Operation, answer: string): void {
    operation.ackedAt = ++this.#moment
    operation.answer = answer
    this.items()
    const isStored = this.#text.startsWith(answer)
    this.#simulation.check('an answer tells only what is stored', isStored, answer)
    if (operation.item === undefined) return
    this.#simulation.check('an answered append is stored', answer.endsWith(operation.item), answer)
  }

  /** All that is stored, in order. */
  items(): readonly string[] {
    const events = this.store.events(id, this.#items.length + 1, Number.MAX_SAFE_INTEGER)
    for (const { bytes } of events) {
      const { item } = this.#codec.decode(bytes) as { item: string }
      this.#items.push(item)
      this.#text += item
    }
    return this.#items
  }

  disturb(): void {
    const { random } = this.#simulation
    const name = nodes[random.below(2)]!
    const journal = this.#journals.get(name)!
    switch (random.below(3)) {
      case 0:
        this.#simulation.fault(`the journal of ${name} stalls`)
        journal.stall()
        this.#simulation.after(random.below(1_500), () => journal.flow())
        break
      case 1:
        this.#simulation.crash(name)
        this.start(name)
        break
      default:
    }
  }

  calm(): void {
    this.#isStormy = false
    for (const journal of this.#journals.values()) {
      journal.setFaults({ latencyMeanMs: 10 })
      journal.flow()
    }
  }

  check(): void {
    const items = this.items()
    const place = new Map(items.map((item, index) => [item, index]))
    const check = (name: string, holds: boolean, detail = ''): void =>
      this.#simulation.check(name, holds, detail)
    check('D6 nothing is stored twice', place.size === items.length)
    const invoked = new Set(this.operations.map(({ item }) => item))
    check(
      'D2 only what was asked for is stored',
      items.every((item) => invoked.has(item)),
    )
    const acked = this.operations.filter((each) => each.ackedAt !== undefined)
    for (const { item } of acked) {
      check('D1 nothing acknowledged is lost', item === undefined || place.has(item), item)
    }
    this.#checkOrder(acked, place)
    this.#checkEpochs()
  }

  /** D4: what was acknowledged before something was asked for stands before it. */
  #checkOrder(acked: readonly Operation[], place: ReadonlyMap<string, number>): void {
    const byAck = acked
      .filter(({ item }) => item !== undefined)
      .sort((left, right) => left.ackedAt! - right.ackedAt!)
    let last = -1
    let next = 0
    for (const { item, invokedAt } of this.operations) {
      for (; next < byAck.length && byAck[next]!.ackedAt! < invokedAt; next++) {
        last = Math.max(last, place.get(byAck[next]!.item!)!)
      }
      const at = item === undefined ? undefined : place.get(item)
      this.#simulation.check('D4 real-time order', at === undefined || at > last, item)
    }
  }

  /** S1c and D6. */
  #checkEpochs(): void {
    const events = this.store.events(id, 1, Number.MAX_SAFE_INTEGER)
    events.forEach(({ epoch, sequenceNr }, index) => {
      this.#simulation.check('D6 numbers follow each other', sequenceNr === index + 1)
      const claimed = this.#claims.filter(({ after }) => after < sequenceNr).length
      this.#simulation.check('S1c the newest claim writes', epoch === claimed, `${sequenceNr}`)
    })
  }
}

/** Starts the list again some time after it has stopped. */
function keeper(
  behavior: Behavior<ListCommand>,
  started: (ref: ActorRef<ListCommand>) => void,
): Behavior<'Start' | 'Gone'> {
  return Behaviors.setup<'Start' | 'Gone'>((context) => {
    context.self.tell('Start')
    return (message) => {
      if (message === 'Gone') {
        const delayMs = 1 + context.system.environment.random.below(1_000)
        return context.timers.startSingle('start', delayMs, 'Start')
      }
      const ref = context.spawn(behavior)
      context.watchWith(ref, 'Gone')
      started(ref)
    }
  })
}

/** Several operations at once, every now and then. */
function client(operate: () => Promise<void> | undefined): Behavior<'Tick'> {
  return Behaviors.setup<'Tick'>((context) => {
    context.timers.startFixedDelay('tick', 40, 'Tick')
    return () => {
      const count = 1 + context.system.environment.random.below(4)
      for (let n = 0; n < count; n++) void operate()
    }
  })
}

export async function fightingInstances(simulation: Simulation): Promise<Fight> {
  const fight = new Fight(simulation)
  for (const name of nodes) fight.start(name)
  for (let n = 1; n <= 8; n++) simulation.after(n * 1_000, () => fight.disturb())
  await simulation.run({ for: '10s' })
  fight.calm()
  const answered = (): number => fight.operations.filter(({ ackedAt }) => ackedAt).length
  await simulation.run({ for: '5s' })
  const before = answered()
  await simulation.run({ for: '5s' })
  simulation.check('somebody answers again', answered() > before)
  fight.check()
  return fight
}
