import { expect, test } from 'vitest'
import { Simulation } from '../../src/simulation/index.ts'
import { workshop } from '../scenarios/workshop.ts'

/** What a scenario never meets it does not test. */
test('the workshop meets everything it is there for', async () => {
  let story = ''
  let strayCalls = 0
  for (let seed = 1; seed <= 150; seed++) {
    const simulation = new Simulation({ seed, keptEventsMax: 10_000 })
    await workshop(simulation)
    strayCalls += simulation.strayCalls
    for (const { kind, text } of simulation.lastEvents(10_000)) story += `${kind} ${text}\n`
  }
  const expected = [
    /^record order-\d+: 1 answered, $/m,
    /^record order-\d+\/2: 1 answered/m,
    /failed: the tool broke/,
    /failed: a slip of the hand/,
    /0 answered, .*late-reply/,
    /0 answered, .*terminated\b/,
    /0 answered, .*terminated-while-queued/,
    /^lost Dropped\(.*stash-discarded-by-restart/m,
    /^log warn/m,
    /^record sherd:\/\/back\/user\/bench-\d#\d+ is gone$/m,
    /^timeout/m,
    /^immediate/m,
    /^fault crash of back$/m,
    /^fault wall clock/m,
    /^end crash$/m,
  ]
  expect(expected.filter((pattern) => !pattern.test(story)).map(String)).toEqual([])
  expect(strayCalls).toBeGreaterThan(0)
})
