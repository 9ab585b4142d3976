/** `frames`: mutated handshakes and frames on established connections, into a whole node. */
import { SeededRandom } from '../../src/simulation/internals.ts'
import {
  checkPrototype,
  chunked,
  type Fuzz,
  FuzzFailure,
  MemoryLimit,
  mutated,
  noise,
  pick,
  runRounds,
} from './fuzz.ts'
import {
  deliveredBySession,
  peersMax,
  queueMessagesMax,
  recordSessions,
  rest,
  startVictim,
} from './sessions.ts'

const port = 4_711
/** The handshake is long in comparison: most changes should come after it. */
const handshakeBytes = 120
const memoryLimitMiB = 64

export const frames: Fuzz = {
  name: 'frames',
  summary: 'mutated handshakes and sessions, into a whole node',
  defaultRounds: 200_000,
  async run(options) {
    const sessions = await recordSessions(port)
    const random = new SeededRandom(options.seed, 'frames')
    const victim = await startVictim(port)
    const crashes: unknown[] = []
    const note = (error: unknown): void => void crashes.push(error)
    process.on('uncaughtException', note)
    try {
      for (const session of sessions) victim.talk([session.by(0)])
      await rest()
      if (victim.deliveredCount() !== deliveredBySession) {
        throw new FuzzFailure(0, 'the recorded session itself is not understood')
      }
      const memory = new MemoryLimit(memoryLimitMiB)
      let queuedMost = 0
      let round = 0
      const act = (at: number): void => {
        round = at
        const isNoise = random.below(20) === 0
        // Half of them from the same address, half from one that nobody was at.
        const claimed = random.below(2) === 0 ? 1_000 + random.below(9_000) : undefined
        const source = pick(sessions, random).by(at + 1, claimed)
        const bytes = isNoise ? noise(random, 400) : mutated(source, random, handshakeBytes)
        victim.talk(chunked(bytes, random))
      }
      const look = async (): Promise<void> => {
        await rest()
        const [broken] = victim.logs.matching(/Invariant broken|invariant is broken/)
        if (broken !== undefined) throw new FuzzFailure(round, broken.message, broken.fields['err'])
        if (crashes.length > 0) throw new FuzzFailure(round, 'an exception escaped', crashes[0])
        const { queued, peerCount } = victim.remoting
        queuedMost = Math.max(queuedMost, queued)
        if (queued > 2 * queueMessagesMax * peerCount) {
          throw new FuzzFailure(round, `${queued} messages wait for ${peerCount} peers`)
        }
        if (peerCount > peersMax) {
          throw new FuzzFailure(round, `${peerCount} peers are kept, and ${peersMax} may be`)
        }
        checkPrototype()
        // They are the test's own, and would count as growth.
        victim.logs.clear()
        memory.check(round)
      }
      await runRounds(options, act, look)
      await look()
      return {
        delivered: victim.deliveredCount(),
        peers: victim.remoting.peerCount,
        'messages queued at most': queuedMost,
        'memory added at most (MiB)': memory.mostMiB,
      }
    } finally {
      process.off('uncaughtException', note)
      await victim.system.terminate()
    }
  },
}
