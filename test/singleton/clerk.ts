/**
 * A singleton on simulated nodes that registers with a strict counter: nobody may register before the one before has said
 * goodbye, or is known to be dead. Every numbered question is answered with the name of the node, and noted.
 */
import { type ActorRef, Behaviors } from '../../src/actor/index.ts'
import { defineEntity } from '../../src/entity/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import {
  type SimulatedNodeOptions,
  type Simulation,
  startSimulatedNode,
} from '../../src/simulation/index.ts'
import type { SingletonLeaseOptions } from '../../src/singleton/index.ts'

const Nobody = defineEntity('Nobody', { state: () => ({}), commands: { rest: () => undefined } })

export type Question =
  | { readonly type: 'Ask'; readonly number: number; readonly replyTo: ActorRef<string> }
  | { readonly type: 'Stop' }

export interface ClerkOptions {
  readonly roles?: readonly string[]
  readonly role?: string
  /** Whether a node that cannot run it has only a proxy. */
  readonly isProxy?: boolean
  readonly lease?: boolean | SingletonLeaseOptions
  readonly settings?: SimulatedNodeOptions['settings']
}

export class ClerkScene {
  readonly simulation: Simulation
  readonly seeds: readonly string[]
  /** Everything that happened to instances, in order. */
  readonly story: string[] = []
  /** Who has handled which number. */
  readonly handled: string[] = []
  readonly nodes = new Map<string, SherdNode>()
  readonly proxies = new Map<string, ActorRef<Question>>()
  /** The node whose instance is registered. */
  registered: string | undefined
  #numbers = 0

  constructor(simulation: Simulation, seeds: readonly string[]) {
    this.simulation = simulation
    this.seeds = seeds.map((name) => `${name}:2552`)
  }

  async start(name: string, options: ClerkOptions = {}): Promise<SherdNode> {
    const { roles = [], role, isProxy = false, lease, settings } = options
    const node = await this.simulation.settle(
      startSimulatedNode(this.simulation, name, {
        // A host of something: so the store decides on splits, and two are enough.
        ...{ roles, seeds: this.seeds, entities: [Nobody] },
        ...(settings !== undefined && { settings }),
        beforeJoin: ({ singletons }) => {
          const proxy = isProxy
            ? singletons.proxy<Question>('clerk', role)
            : singletons.start<Question>({
                name: 'clerk',
                role,
                behavior: () => this.#clerk(name),
                stopMessage: { type: 'Stop' },
                ...(lease !== undefined && { lease }),
              })
          this.proxies.set(name, proxy)
        },
      }),
    )
    this.nodes.set(name, node)
    return node
  }

  /** Asks from there; answers who has answered. */
  async ask(name: string): Promise<string> {
    const number = ++this.#numbers
    const proxy = this.proxies.get(name)
    if (proxy === undefined) throw new Error(`${name} was not started`)
    return this.simulation.settle(
      proxy.ask<string>((replyTo) => ({ type: 'Ask', number, replyTo }), { timeout: '60s' }),
    )
  }

  /** Who answers each of them. */
  async askFrom(...names: readonly string[]): Promise<string[]> {
    const answers: string[] = []
    for (const name of names) answers.push(await this.ask(name))
    return answers
  }

  /** The process is gone, and whatever it had registered. */
  crash(...names: readonly string[]): void {
    for (const name of names) {
      this.simulation.crash(name)
      if (this.registered === name) this.registered = undefined
    }
  }

  /** Registered there, and everybody who lives sees only those who live: so nobody asks who is dead. */
  async whenMovedTo(name: string): Promise<void> {
    await this.whenStartedOn(name)
    const isSeen = (): boolean => {
      const living = [...this.nodes].filter(([each]) => this.simulation.isAlive(each))
      return living.every(([, { cluster }]) => cluster.state.members.length === living.length)
    }
    await this.simulation.runUntil(isSeen, { what: 'all who live see each other' })
  }

  async whenStartedOn(name: string): Promise<void> {
    await this.simulation.runUntil(() => this.registered === name, {
      what: `the clerk is on ${name}`,
      within: '90s',
    })
  }

  #clerk(name: string) {
    return Behaviors.setup<Question>(() => {
      const { simulation, registered } = this
      simulation.check('one is registered at a time', registered === undefined, `${registered} is`)
      this.registered = name
      this.story.push(`${name} registers`)
      return Behaviors.receiveMessage<Question>((message) => {
        if (message.type === 'Stop') {
          this.story.push(`${name} is told to stop`)
          return Behaviors.stopped()
        }
        this.handled.push(`${message.number} by ${name}`)
        message.replyTo.tell(name)
        return Behaviors.same
      }).receiveSignal({
        PostStop: () => {
          simulation.check('it was registered', this.registered === name, `${this.registered} is`)
          this.registered = undefined
          this.story.push(`${name} unregisters`)
        },
      })
    })
  }
}
