/**
 * The same bank under simulation: same actors, same messages, but time and chance come from a seed. Each seed is run
 * twice, and both runs must have done exactly the same.
 */
import { type SeedResult, type Simulation, simulateSeeds } from '../../src/simulation/index.ts'
import { bank, problemsWith } from './bank.ts'
import type { Statement } from './messages.ts'
import { inWords } from './reporter.ts'

const plan = { accounts: 50, coins: 200, tellers: 8, pauseMs: 100, sabotageEveryMs: 250 }

async function rehearse(simulation: Simulation): Promise<void> {
  const { system } = simulation.node('bank')
  const opened = system.spawn(bank(plan), 'bank')
  await simulation.run({ for: '1m' })
  const closed = opened.ask<Statement>((replyTo) => ({ type: 'Close', replyTo }), { timeout: '1m' })
  const problems = problemsWith(await simulation.settle(closed), plan)
  simulation.check('the books balance', problems.length === 0, problems.slice(0, 3).join('; '))
  await simulation.settle(system.terminate())
}

/** Answers whether all went well. */
export async function rehearseAll(seeds: number): Promise<boolean> {
  console.log('The same bank under simulation, a virtual minute for each seed, each seed twice:')
  const startedMs = performance.now()
  let isWell = true
  let virtualMs = 0
  for (let seed = 1; seed <= seeds; seed++) {
    const first = await rehearseSeed(seed)
    const second = await rehearseSeed(seed)
    virtualMs += first.simulatedMs + second.simulatedMs
    const isSame = first.hash === second.hash
    const violation = first.violations[0] ?? second.violations[0]
    const verdict = violation?.detail ?? (isSame ? 'the same twice' : `then ${second.hash}`)
    console.log(`  seed ${seed}: hash ${first.hash}, ${inWords(first.events)} events, ${verdict}`)
    isWell &&= isSame && violation === undefined
  }
  const tookMs = performance.now() - startedMs
  const speed = Math.round(virtualMs / tookMs)
  console.log(
    `${inWords(Math.round(virtualMs / 1_000))} virtual seconds in ${(tookMs / 1_000).toFixed(1)} s: ` +
      `${speed} virtual seconds per second.`,
  )
  return isWell
}

async function rehearseSeed(seed: number): Promise<SeedResult> {
  const results = simulateSeeds({ scenario: rehearse, seed, seeds: 1 })
  const { value } = await results.next()
  return value as SeedResult
}
