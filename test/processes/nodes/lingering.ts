/** Entities that take a while to stop, and say where they live. */
import { type ActorRef, Behaviors } from '../../../src/actor/index.ts'
import { type ClusterSharding, EntityTypeKey } from '../../../src/sharding/index.ts'

type ToLingering =
  | { readonly type: 'WhereAreYou'; readonly replyTo: ActorRef<string> }
  | { readonly type: 'Stop' }
  | { readonly type: 'StopAtLast' }

const Lingering = new EntityTypeKey<ToLingering>('Lingering')

/** Hosts them. Their answer is the name of `node`; each ends so long after it was asked to. */
export function hostLingering(sharding: ClusterSharding, node: string, stopTakesMs: number): void {
  sharding.init({
    key: Lingering,
    stopMessage: { type: 'Stop' },
    behavior: () =>
      Behaviors.setup<ToLingering>(({ timers }) =>
        Behaviors.receiveMessage((message) => {
          if (message.type === 'WhereAreYou') message.replyTo.tell(node)
          else if (message.type === 'Stop') {
            timers.startSingle('stop', stopTakesMs, { type: 'StopAtLast' })
          } else return Behaviors.stopped()
          return undefined
        }),
      ),
  })
}

/** The nodes on which these entities live, by their own word. */
export function whereAreLingering(
  sharding: ClusterSharding,
  ids: readonly string[],
): Promise<string[]> {
  return Promise.all(
    ids.map((id) =>
      sharding
        .entityRefFor(Lingering, id)
        .ask((replyTo: ActorRef<string>) => ({ type: 'WhereAreYou', replyTo }), { timeout: '20s' }),
    ),
  )
}
