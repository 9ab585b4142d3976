/** Why each seed has not let this node in, for the log and for the error at the end: the last trouble with each. */
import type { Address } from '../../foundation/node-id.ts'

interface Trouble {
  readonly text: string
  /** Nothing but another setting can heal it. */
  readonly isFinal: boolean
}

const finalCodes: ReadonlySet<string> = new Set([
  'WRONG_PROTOCOL',
  'WRONG_CLUSTER_NAME',
  'WRONG_SECRET',
  'SECRET_MISSING',
  'TLS_MISSING',
  'WRONG_TLS_VERSION',
  'CERTIFICATE_MISSING',
  'CERTIFICATE_UNTRUSTED',
  'CERTIFICATE_EXPIRED',
  'WRONG_CERTIFICATE_NAME',
  'CERTIFICATE_REFUSED',
])

export class SeedTroubles {
  /** The seeds besides the node itself. */
  readonly seeds: readonly Address[]
  readonly #founder: Address | undefined
  readonly #troubles = new Map<Address, Trouble>()

  /** `founder` is the first seed, which alone founds a cluster, when that is another node. */
  constructor(seeds: readonly Address[], founder?: Address) {
    this.seeds = seeds
    this.#founder = founder
  }

  /** The same with other seeds: what is known of those that are among both is kept. */
  of(seeds: readonly Address[]): SeedTroubles {
    const next = new SeedTroubles(seeds, this.#founder)
    for (const seed of seeds) {
      const trouble = this.#troubles.get(seed)
      if (trouble !== undefined) next.#troubles.set(seed, trouble)
    }
    return next
  }

  /** Who should be started when there is no cluster; undefined when that would not help. */
  get founder(): Address | undefined {
    return this.areFinal ? undefined : this.#founder
  }

  notConnected(seed: Address, text: string): void {
    this.#note(seed, text, false)
  }

  notInACluster(seed: Address): void {
    this.#note(seed, 'is not in a cluster itself', false)
  }

  connected(seed: Address): void {
    this.#note(seed, 'is connected and has not let this node in yet', false)
  }

  notAccepted(seed: Address, code: string, text: string): void {
    this.#note(seed, text, finalCodes.has(code))
  }

  /** To try on makes no sense: every seed fails in a way that only other settings can heal. */
  get areFinal(): boolean {
    return (
      this.seeds.length > 0 &&
      this.seeds.every((seed) => this.#troubles.get(seed)?.isFinal === true)
    )
  }

  /** One line per seed. */
  get lines(): string[] {
    return this.seeds.map((seed) => {
      const text = this.#troubles.get(seed)?.text ?? 'has not answered yet'
      // An error about a node begins with its address.
      return text.startsWith(seed) ? text : `${seed} ${text}`
    })
  }

  #note(seed: Address, text: string, isFinal: boolean): void {
    if (this.seeds.includes(seed)) this.#troubles.set(seed, { text, isFinal })
  }
}
