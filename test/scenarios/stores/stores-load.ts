/**
 * What clients on the nodes do in the scenario of the stores: they add unique ids to rolls and sheets, and repeat a call under
 * the same id until it is acknowledged; they read; some rolls and sheets they empty now and then.
 */
import type { ClusterChecks, SeededRandom, Simulation } from '../../../src/simulation/index.ts'
import type { Running } from '../spine/spine-cluster.ts'
import type { RollEntity, SheetEntity } from './stores-entities.ts'
import type { RollHistory } from './stores-history.ts'

const ATTEMPTS_MAX = 12
const RETRY_MS = 250
const EMPTY_CHANCE = 0.06
const READ_CHANCE = 0.15
const BURST_MAX = 6

export interface StoresLoadParts {
  readonly simulation: Simulation
  readonly checks: ClusterChecks
  readonly roll: RollEntity
  readonly sheet: SheetEntity
  readonly history: RollHistory
  readonly callTimeoutMs: number
}

/** Those that are emptied begin with `e`; sheets with `s` or `es`. */
export const rolls: readonly string[] = ['r0', 'r1', 'r2', 'e0', 'e1']
export const sheets: readonly string[] = ['s0', 's1', 'es0']

export class StoresLoad {
  readonly parts: StoresLoadParts
  /** Acknowledged, by the roll they were for. */
  readonly acknowledged: (readonly [roll: string, id: string])[] = []
  isOver = false

  constructor(parts: StoresLoadParts) {
    this.parts = parts
  }

  begin(running: Running): void {
    new Client(
      this,
      running,
      this.parts.simulation.random.fork(`load ${running.life.label}`),
    ).goOn()
  }
}

/** Of either kind. */
interface IdsHandle {
  add(id: string): Promise<number>
  begin(id: string): Promise<number>
  all(): Promise<readonly string[]>
}

export function handleOf(
  { roll, sheet }: Pick<StoresLoadParts, 'roll' | 'sheet'>,
  { node }: Pick<Running, 'node'>,
  id: string,
): IdsHandle {
  const timeout = '2s'
  return rolls.includes(id)
    ? node.entity(roll, id, { timeout })
    : node.entity(sheet, id, { timeout })
}

class Client {
  readonly #load: StoresLoad
  readonly #running: Running
  readonly #random: SeededRandom
  readonly #pauseMs: number
  #count = 0

  constructor(load: StoresLoad, running: Running, random: SeededRandom) {
    this.#load = load
    this.#running = running
    this.#random = random
    this.#pauseMs = random.pick([60, 150, 400])
  }

  goOn(): void {
    if (this.#load.isOver) return
    const entity = this.#random.pick([...rolls, ...sheets])
    if (this.#random.chance(READ_CHANCE)) this.#read(entity)
    else for (let left = 1 + this.#random.below(BURST_MAX); left > 0; left--) this.#add(entity)
    this.#after(2 * this.#pauseMs * this.#random.float(), () => this.goOn())
  }

  #add(entity: string): void {
    const { checks } = this.#load.parts
    const id = `${this.#running.life.label}.${++this.#count}`
    const isEmptied = entity.startsWith('e')
    const empties = isEmptied && this.#random.chance(EMPTY_CHANCE)
    // What is emptied is none of the ledger's affair: what was acknowledged may be gone.
    if (!isEmptied) checks.ledger.invoked(id, entity)
    const attempt = (left: number): void => {
      const handle = handleOf(this.#load.parts, this.#running, entity)
      const call = empties ? handle.begin(id) : handle.add(id)
      this.#follow(`${id} to ${entity}`, call)
      call.then(
        () => this.#acknowledged(entity, id),
        () => {
          // Where it was emptied meanwhile, the same id again would be another one.
          if (left > 0 && !isEmptied) this.#after(RETRY_MS, () => attempt(left - 1))
        },
      )
    }
    attempt(ATTEMPTS_MAX)
  }

  #acknowledged(entity: string, id: string): void {
    if (!entity.startsWith('e')) this.#load.parts.checks.ledger.acknowledged(id)
    if (rolls.includes(entity)) this.#load.acknowledged.push([entity, id])
  }

  #read(entity: string): void {
    const { checks, history, simulation } = this.#load.parts
    const invokedMs = simulation.now
    const call = handleOf(this.#load.parts, this.#running, entity).all()
    this.#follow(`a read of ${entity}`, call)
    call.then(
      (ids) => {
        if (!entity.startsWith('e')) checks.ledger.read(entity, ids, invokedMs)
        if (rolls.includes(entity)) history.read(entity, ids)
      },
      () => simulation.record('a read failed'),
    )
  }

  #follow(what: string, call: Promise<unknown>): void {
    const { life } = this.#running
    const { checks, callTimeoutMs } = this.#load.parts
    checks.calls.made({ life, what, timeoutMs: callTimeoutMs }, call)
  }

  #after(delayMs: number, callback: () => void): void {
    this.#running.life.environment.timers.after(delayMs, callback)
  }
}
