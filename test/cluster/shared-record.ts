/** The record of those who were given up that the arbiter of a network of machines keeps, shared by all nodes. */
import type { RecordGivenUp, RecordShown } from '../../src/cluster/downing/removal-inputs.ts'
import type { NodeId } from '../../src/foundation/node-id.ts'

export class SharedRecord {
  givenUp: readonly NodeId[] = []

  ask({ number, nodes }: RecordGivenUp, asker: NodeId): RecordShown {
    if (!this.givenUp.includes(asker)) this.givenUp = [...new Set([...this.givenUp, ...nodes])]
    return { type: 'RecordShown', number, nodes: this.givenUp }
  }
}
