/** Entities that tell the test what they hear: whoever is told something and says nothing has lost it. */
import { Behaviors } from '../../../src/actor/index.ts'
import { type ClusterSharding, EntityTypeKey } from '../../../src/sharding/index.ts'
import { parent } from '../harness/control-server.ts'

const earKey = new EntityTypeKey<string>('Ear')

/** Hosts them. */
export function hostEars(sharding: ClusterSharding): void {
  sharding.init({
    key: earKey,
    settings: { numberOfShards: 20 },
    behavior: () =>
      Behaviors.receiveMessage((word) => {
        parent.tell({ type: 'Heard', word })
        return Behaviors.same
      }),
  })
}

/** Says it, without waiting for anything. */
export function tellEar(sharding: ClusterSharding, ear: string, word: string): void {
  sharding.entityRefFor(earKey, ear).tell(word)
}
