/** kill -9 of a node whose host lives on: nothing but closed and refused connections tells. */
import { allAnswer, hostScenario } from './hosts-under-load.ts'

export const netKill = hostScenario({
  name: 'net-kill',
  summary: 'kill -9 of a node on a host of its own: only refused connections tell',
  defaultRounds: 6,
  attemptMs: 500,
  soonMs: 3_000,
  async play({ cluster, victim, rest }) {
    const { length: hosted } = await victim.call('hosted')
    const { self: node } = await victim.call('view')
    const killedMs = performance.now()
    await victim.kill()
    const told = async (name: string): Promise<void> => {
      await cluster.members.named(name).news.next('MemberRemoved', { node })
    }
    const removed = Promise.all(rest.map(told)).then(() => performance.now() - killedMs)
    const [tookMs, removedMs] = await Promise.all([allAnswer(cluster, killedMs), removed])
    const what = `${victim.name} killed with ${hosted} entities, removed after ${Math.round(removedMs)} ms`
    return { what, tookMs, figures: { removedLongestMs: removedMs } }
  },
})
