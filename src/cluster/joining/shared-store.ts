/**
 * The nodes that host entities in one data center share one store: what one has written, the next one must find. A host shows its store when
 * it asks to join, and carries its id as an attribute, so that every member knows it, also one that has no store itself.
 */
import { clip, escapeControls } from '../../foundation/text.ts'
import { type NodeId, addressOfNode } from '../../foundation/node-id.ts'
import { type Member, defaultDataCenter, isAmong } from '../gossip/member.ts'

export interface SharedStore {
  readonly id: string
  /** For people: where it is. */
  readonly name: string
}

const prefix = 'uses store '

/** A text longer than the wire takes would make the whole question unreadable. */
const nameMax = 300

export function attributeOfStore({ id }: SharedStore): string {
  return `${prefix}${id}`
}

/** As a newcomer shows it: id, then name. */
export function shownStore({ id, name }: SharedStore): string {
  return `${id} ${clip(escapeControls(name), nameMax)}`
}

/** Why this newcomer cannot be let in with the store it shows; empty when it can. */
export function problemsWithStore(
  members: readonly Member[],
  newcomer: NodeId,
  shown: string | undefined,
  dataCenter: string = defaultDataCenter,
): string[] {
  if (shown === undefined) return []
  const [id = ''] = shown.split(' ', 1)
  const isAnother = (attribute: string): boolean =>
    attribute.startsWith(prefix) && attribute !== `${prefix}${id}`
  // The life before it, at the same address, ends when it is let in.
  const stays = ({ node, status }: Member): boolean =>
    status !== 'Down' && addressOfNode(node) !== addressOfNode(newcomer)
  const isUsingAnother = (member: Member): boolean =>
    stays(member) && isAmong(member, { dataCenter }) && member.attributes.some(isAnother)
  if (!members.some(isUsingAnother)) return []
  const name = shown.slice(id.length + 1)
  const [who, others] =
    dataCenter === defaultDataCenter
      ? ['a cluster', 'the cluster']
      : [`the data center ${dataCenter}`, 'the others there']
  return [
    `the nodes of ${who} share one store; this node uses ${name}, ${others} another one. Give all nodes of this host the same \`store.folder\` (nodes on several hosts need a shared store, which is not there yet); with 'memory' share one journal object`,
  ]
}
