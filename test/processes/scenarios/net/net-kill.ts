/** kill -9 of a node whose host lives on: nothing but closed and refused connections tells. */
import { allAnswer, hostScenario } from './hosts-under-load.ts'

export const netKill = hostScenario({
  name: 'net-kill',
  summary: 'kill -9 of a node on a host of its own: only refused connections tell',
  defaultRounds: 6,
  attemptMs: 250,
  soonMs: 3_000,
  async play({ cluster, victim }) {
    const { length: hosted } = await victim.call('hosted')
    const killedMs = performance.now()
    await victim.kill()
    const tookMs = await allAnswer(cluster, killedMs)
    return { what: `${victim.name} killed with ${hosted} entities`, tookMs }
  },
})
