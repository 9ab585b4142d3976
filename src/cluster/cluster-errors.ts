/** What goes wrong on the way into a cluster, in words for the person who starts the node: what happened, and what to do. */
import { CodedError } from '../foundation/coded-error.ts'
import { clip, escapeControls } from '../foundation/text.ts'
import type { Address, NodeId } from '../foundation/node-id.ts'

/** No seed let this node in. */
export class JoinFailed extends CodedError {
  readonly code = 'JOIN_FAILED'
  readonly seeds: readonly Address[]
  /** One line per seed, or what else stood in the way. */
  readonly reasons: readonly string[]

  /** `founder` is the seed that alone founds a cluster, when that is another node and could help. */
  constructor(
    self: NodeId,
    seeds: readonly Address[],
    reasons: readonly string[],
    founder?: Address,
  ) {
    const whoFounds =
      founder === undefined
        ? ''
        : ` When there is no cluster, only the first seed founds one: start ${founder}.`
    const advice =
      seeds.length === 0
        ? 'Put that right'
        : 'Check that the seeds run, that their addresses are right and that this node can reach them'
    super(
      `${self} could not join a cluster:\n${listOf(reasons)}\n${advice}; then start it again.${whoFounds}`,
    )
    this.seeds = seeds
    this.reasons = reasons
  }
}

/** The cluster works with other settings than this node. */
export class IncompatibleSettings extends CodedError {
  readonly code = 'INCOMPATIBLE_SETTINGS'
  readonly problems: readonly string[]

  constructor(self: NodeId, problems: readonly string[]) {
    super(
      `${self} cannot join: its settings do not go together with those of the cluster.\n${listOf(problems)}\nGive all nodes the same values for these, and start it again.`,
    )
    this.problems = problems
  }
}

/** A node without seeds found a living cluster of its name on its store. */
export class ClusterElsewhere extends CodedError {
  readonly code = 'CLUSTER_ELSEWHERE'
  /** Where its members are, as far as the store knows. */
  readonly addresses: readonly Address[]

  constructor(self: NodeId, addresses: readonly Address[]) {
    const seeds = addresses.map((address) => `'${address}'`).join(', ')
    super(
      `${self} was started without seeds, and a cluster of the same name already lives on its store, at ${addresses.join(', ')}. To join it, start this node with \`seeds: [${seeds}]\`, on all nodes the same. For a cluster of its own, give it another \`store.folder\` or another \`name\`.`,
    )
    this.addresses = addresses
  }
}

/** The node left, was given up or was stopped before it was a full member. */
export class NeverUp extends CodedError {
  readonly code = 'NEVER_UP'

  /** By its process, as by Ctrl-C, or because it was told to leave. */
  static stopped(self: NodeId): NeverUp {
    const error = new NeverUp(
      `${self} was stopped before a cluster had let it in. Start it again when it is to join.`,
    )
    // Nothing is wrong, so there is no place to look at; few catch this one, and then Node prints it.
    error.stack = `${error.name}: ${error.message}`
    return error
  }

  static givenUp(self: NodeId): NeverUp {
    return new NeverUp(
      `${self} will not become a member any more: the cluster has given it up. Only a new node can join; start one.`,
    )
  }
}

export class InvalidAddress extends CodedError {
  readonly code = 'INVALID_ADDRESS'

  constructor(text: string) {
    super(
      `"${clip(escapeControls(text), 200)}" is not the address of a node. Write host:port as that node advertises it, such as 10.0.0.7:2552; the last part of a host name has no underscore.`,
    )
  }
}

function listOf(lines: readonly string[]): string {
  return lines.map((line) => `  - ${line}`).join('\n')
}
