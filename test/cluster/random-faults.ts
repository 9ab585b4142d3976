/** A random run of a small cluster: joins, leaves, crashes, restarts, splits and sleep, and in the end it is whole again. */
import type { Address } from '../../src/foundation/node-id.ts'
import { Network, type Node } from './network.ts'
import { SharedRegister } from './shared-register.ts'

const addresses: readonly Address[] = [
  'a:1',
  'b:1',
  'c:1',
  'd:1',
  'e:1',
  'f:1',
  'f:2',
  'f:3',
  'f:4',
]
const kinds = [
  'crash',
  'host',
  'restart',
  'split',
  'blip',
  'sleep',
  'leave',
  'join',
  'link',
] as const
/** Where nodes share a store, that fails too. */
const kindsWithStore = [...kinds, 'store', 'store'] as const

export type FaultKind = (typeof kindsWithStore)[number]

export interface RandomRun {
  readonly network: Network
  readonly faults: readonly FaultKind[]
  /** Everybody went down: allowed where no side was sure of its majority, and to be rare. */
  readonly isExtinct: boolean
}

/** `hasStore`: nodes share one, which keeps the founding and decides who goes on. */
export function randomRun(seed: number, hasStore = false): RandomRun {
  // The first seed waits for those who sleep: to form a second cluster beside them is not what is tested here.
  const settings = { seedTimeoutMs: 60_000, joinDeadlineMs: 60_000 }
  const exitingTasksMs = [200, 9_000, 30_000][seed % 3] as number
  const latencyMs = [1, 5 + (seed % 5) * 40] as const
  // Of four runs one has all on one host, and one has them on two: there the end of a process can be seen.
  const hosts = [1, 2][seed % 4]
  const hostOf = (address: string): string | undefined =>
    hosts === undefined ? undefined : `host-${address.charCodeAt(0) % hosts}`
  const register = hasStore ? new SharedRegister() : undefined
  const network = new Network({
    ...{ seed, settings, latencyMs, exitingTasksMs, hostOf },
    ...(register !== undefined && { register }),
  })
  const size = 3 + network.random.below(3)
  for (const address of addresses.slice(0, size)) network.start(address, addresses)
  network.runUntil(
    'a whole cluster',
    () => network.isWhole && network.alive.length === size,
    30e3,
    250,
  )

  const faults: FaultKind[] = []
  const rounds = 2 + network.random.below(3)
  for (let round = 0; round < rounds; round++) {
    network.run(network.random.below(12_000))
    if (network.alive.length < 2) break
    const kind = network.random.pick(hasStore ? kindsWithStore : kinds)
    faults.push(kind)
    if (kind === 'store') loseStore(network, register!)
    else strike(network, kind, round)
  }
  network.heal()
  register?.away.clear()
  network.run(45_000)
  const isExtinct = network.alive.length === 0
  for (const address of addresses.slice(0, size)) {
    const isThere = network.alive.some((node) => node.address === address)
    if (!isThere) network.start(address, addresses)
  }
  network.runUntil(`a whole cluster after ${faults.join()}`, () => network.isWhole, 90_000, 250)
  return { network, faults, isExtinct }
}

/** For some or for all, for a while, in which other things happen. */
function loseStore({ random, machines }: Network, { away }: SharedRegister): void {
  const isForAll = random.chance(0.3)
  const those = addresses.filter(() => isForAll || random.chance(0.4))
  for (const address of those) away.set(address, random.pick(['fails', 'stalls']))
  machines.after(random.below(25_000), () => {
    for (const address of those) away.delete(address)
  })
}

function strike(network: Network, kind: Exclude<FaultKind, 'store'>, round: number): void {
  const { random } = network
  const victim = random.pick(network.alive)
  switch (kind) {
    case 'crash':
    case 'host':
      network.crash(victim, { silent: kind === 'host' })
      network.run(random.below(20_000))
      network.start(victim.address, addresses)
      return
    case 'restart':
      network.crash(victim)
      network.start(victim.address, addresses)
      return
    case 'split':
      return split(network, random.below(30_000))
    case 'blip':
      return split(network, random.below(5_000))
    case 'sleep':
      return network.sleep(victim, random.below(30_000))
    case 'leave':
      return network.give(victim, { type: 'Leave', node: victim.id })
    case 'link':
      return breakLink(network, victim)
    case 'join':
      network.start(`f:${round + 1}`, addresses)
  }
}

/** Of one that leaves, to one of the others. */
function breakLink(network: Network, leaving: Node): void {
  network.give(leaving, { type: 'Leave', node: leaving.id })
  network.run(network.random.below(4_000))
  const others = network.alive.filter((node) => node !== leaving)
  if (others.length > 0) network.cut([leaving], [network.random.pick(others)])
  network.run(network.random.below(30_000))
  network.heal()
}

function split(network: Network, ms: number): void {
  const { alive } = network
  const side: readonly Node[] = alive.filter(() => network.random.chance(0.5))
  network.cut(
    side,
    alive.filter((node) => !side.includes(node)),
  )
  network.run(ms)
  network.heal()
}
