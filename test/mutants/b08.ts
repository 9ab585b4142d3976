/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B08: Mutant = {
  why: 'Akka 32976: HostShard that comes while the shard is still stopping is acknowledged, and the shard never starts.',
  edits: [
    {
      file: 'src/sharding/region/hosted-shards.ts',
      find: `      if (epoch > hosted.epoch) hosted.next = epoch
      return []`,
      replace: `      hosted.next = epoch
      return [this.#started(shard, epoch)]`,
    },
    {
      file: 'src/sharding/region/hosted-shards.ts',
      find: '    return this.#isRefusing ? this.#refuse(shard, next) : this.#start(shard, next)',
      replace: `    this.#endedEpochs.delete(shard)
    this.#hosted.set(shard, { epoch: next, isStopping: true, next: undefined })
    return []`,
    },
  ],
  found: { by: 'every entity answers', scenario: 'spine', seed: 11, oneIn: 15, isSlow: true },
}
