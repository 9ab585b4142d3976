/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B39: Mutant = {
  why: 'NATS JetStream, SQLite with synchronous=NORMAL: the store acknowledges before what it was given is on the disk.',
  edits: [
    {
      file: 'src/simulation/storage/simulated-journal.ts',
      find: `    return this.#write(batch.persistenceId, 'append', async () => {
      const result = await this.#journal.append(batch)
      this.#watcher.appended?.(batch, result)
      return result
    })`,
      replace: `    void this.#write(batch.persistenceId, 'append', async () => {
      const result = await this.#journal.append(batch)
      this.#watcher.appended?.(batch, result)
      return result
    }).catch(() => undefined)
    const highestSequenceNr = batch.expectedSequenceNr + batch.events.length
    return new Promise((resolve) =>
      this.#ground.inNode(0, () => resolve({ type: 'Appended', highestSequenceNr })),
    )`,
    },
  ],
  found: { by: 'nothing acknowledged is lost', scenario: 'stores', seed: 14, oneIn: 14 },
}
