/**
 * The libraries we compare with. They live in `bench/peers`, with a lock file of their own, so that
 * no user and no test ever installs them. Loaded at run time and typed here by what we use of them:
 * the benchmarks compile and run without them.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export interface Peers {
  readonly nact?: Nact
  readonly xstate?: Xstate
}

export interface Nact {
  start(): NactRef
  stop(ref: NactRef): void
  spawn<State, Message>(
    parent: NactRef,
    handle: (state: State, message: Message, context: NactContext) => State,
    name: string,
    properties?: { initialState?: State; initialStateFunc?: () => State },
  ): NactRef
  dispatch(ref: NactRef, message: unknown, sender?: NactRef): void
  query(ref: NactRef, message: unknown, timeoutMs: number): Promise<unknown>
}

export interface NactRef {
  readonly path: unknown
}

export interface NactContext {
  readonly self: NactRef
  readonly sender: NactRef
}

export interface Xstate {
  createActor<Event>(
    logic: XstateLogic<Event>,
    options?: { id?: string; parent?: XstateActor<never> },
  ): XstateActor<Event>
  fromTransition<State, Event>(
    transition: (state: State, event: Event) => State,
    initial: State | (() => State),
  ): XstateLogic<Event>
}

export interface XstateLogic<in Event> {
  readonly transition: (snapshot: never, event: Event, scope: never) => unknown
}

export interface XstateActor<in Event> {
  send(event: Event): void
  start(): this
}

/** The repository; the compiled form of this file lies deeper in it than its source. */
const root = findRoot(import.meta.dirname)
const folder = join(root, 'bench', 'peers')

/** Installs the peers when that is needed. Says so on standard error, also when it cannot. */
export function installPeers(): void {
  const setUp = join(root, 'scripts', 'setup.mjs')
  const { status } = spawnSync(process.execPath, [setUp, folder], {
    stdio: ['ignore', process.stderr, process.stderr],
  })
  if (status !== 0) console.error(`The peers could not be installed in ${folder}.`)
}

/** Those peers that are there. */
export function loadPeers(): Peers {
  const nact = load<Nact>('nact')
  const xstate = load<Xstate>('xstate')
  return { ...(nact && { nact }), ...(xstate && { xstate }) }
}

function load<Library>(name: string): Library | undefined {
  try {
    return createRequire(join(folder, 'package.json'))(name) as Library
  } catch {
    console.error(`${name} is not installed: its lines are missing below.`)
    return undefined
  }
}

function findRoot(from: string): string {
  if (existsSync(join(from, 'bench', 'peers', 'package.json'))) return from
  const parent = dirname(from)
  if (parent === from) throw new Error('bench/peers/package.json is in no folder above this file')
  return findRoot(parent)
}
