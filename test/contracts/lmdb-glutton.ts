/**
 * A process of its own that writes large events until the store refuses, again and again, then says how many were
 * acknowledged, and the code and text of the first refusal. Nothing of it may end the process.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CodedError } from '../../src/foundation/coded-error.ts'
import { LmdbJournal } from '../../src/persistence/index.ts'
import { appendText, claimed } from '../../src/testkit/journal-contract/journal-texts.ts'

const [folder = ''] = process.argv.slice(2)
const journal = await LmdbJournal.open({ folder, settings: { commitTimeoutMs: 5000 } })
const writer = await claimed(journal, 'glutton')
const refusals: CodedError[] = []
let stored = 0
while (refusals.length < 5) {
  try {
    await appendText(journal, { ...writer, after: stored }, 'x'.repeat(50_000))
    stored++
  } catch (error) {
    refusals.push(error as CodedError)
    // A rejection that nobody handles is reported between two turns of the event loop.
    await nextTurn()
  }
}
const [first] = refusals
console.log(`${stored}\n${first?.code}\n${first?.message}`)
process.exit(0)
