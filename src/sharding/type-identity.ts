/**
 * What the regions of one type must agree on, besides the number of shards. A region says it when it registers, and the
 * coordinator compares it with that of its own node. What one of the two does not say is not compared: nodes of an older
 * release say nothing. An extractor without a name may be any but one of ours: who gives it a name later need not stop all nodes
 * for that.
 */
import { show } from '../foundation/show.ts'
import { isOwnRule, unnamedRule } from './message-extractor.ts'
import type { AnyDefinition } from './region-definition.ts'

export interface TypeIdentity {
  /** Name and version of the rule by which ids are placed into shards. */
  readonly extractorId?: string | undefined
  readonly rememberEntities?: boolean | undefined
  /** Of the nodes that host; '' for all. */
  readonly role?: string | undefined
  readonly useLease?: boolean | undefined
}

/** What a proxy must agree on: it hosts nothing, and finds shards. */
const ofProxies: readonly (keyof TypeIdentity)[] = ['extractorId']
const ofHosts: readonly (keyof TypeIdentity)[] = [
  'extractorId',
  'rememberEntities',
  'role',
  'useLease',
]

const whatFor: Readonly<Record<keyof TypeIdentity, string>> = {
  extractorId: 'or one entity would be in two shards',
  rememberEntities: 'or entities would come back on some nodes and not on others',
  role: 'or nodes would disagree on who hosts',
  useLease: 'or a node without the lease would not be kept from running a shard',
}

/** `extractorId` as `Addressing` knows it. */
export function identityOf(definition: AnyDefinition, extractorId: string): TypeIdentity {
  const named = { extractorId }
  // A proxy does not say how its entities live.
  if (definition.behavior === undefined) return named
  const { role = '', rememberEntities, lease } = definition
  return { ...named, role, rememberEntities, useLease: lease !== undefined }
}

/** All differences in words, each with what to do; none when they agree. */
export function differencesOf(
  theirs: TypeIdentity & { readonly numberOfShards: number; readonly isProxy: boolean },
  ours: TypeIdentity & { readonly numberOfShards: number },
): string[] {
  const differences: string[] = []
  if (theirs.numberOfShards !== ours.numberOfShards) {
    differences.push(
      `its numberOfShards is ${theirs.numberOfShards}, that of the cluster ${ours.numberOfShards}`,
    )
  }
  for (const name of theirs.isProxy ? ofProxies : ofHosts) {
    const [their, our] = [theirs[name], ours[name]]
    if (their === undefined || our === undefined || their === our) continue
    if (name === 'extractorId' && maySayTheSame(String(their), String(our))) continue
    differences.push(
      `its ${name} is ${shown(their)}, that of the cluster ${shown(our)}, and they must be the same, ${whatFor[name]}`,
    )
  }
  return differences
}

function maySayTheSame(one: string, other: string): boolean {
  // The name of a rule of ours ends with the number of shards, which is compared by itself.
  if (one.replace(/\/\d+$/, '') === other.replace(/\/\d+$/, '')) return true
  return (one === unnamedRule && !isOwnRule(other)) || (other === unnamedRule && !isOwnRule(one))
}

function shown(value: string | boolean): string {
  return value === unnamedRule ? 'not given' : show(value)
}
