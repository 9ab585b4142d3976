/**
 * A process of its own that writes large events until the store refuses, then says how many were acknowledged, and the
 * code and text of the refusal.
 */
import type { CodedError } from '../../src/foundation/coded-error.ts'
import { LmdbJournal } from '../../src/persistence/index.ts'
import { appendText, claimed } from './journal-words.ts'

const [folder = ''] = process.argv.slice(2)
const journal = LmdbJournal.open({ folder, settings: { commitTimeoutMs: 5000 } })
const writer = await claimed(journal, 'glutton')
let stored = 0
try {
  for (;;) {
    await appendText(journal, { ...writer, after: stored }, 'x'.repeat(50_000))
    stored++
  }
} catch (error) {
  const { code, message } = error as CodedError
  console.log(`${stored}\n${code}\n${message}`)
}
process.exit(0)
