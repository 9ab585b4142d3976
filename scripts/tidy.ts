/** Checks the rules of the house that no other tool knows: `npm run tidy`. Prints every violation, fails if any. */
import { fileURLToPath } from 'node:url'
import { inspect } from './tidy/inspect.ts'
import { inWords } from './tidy/violation.ts'

const violations = inspect(fileURLToPath(new URL('..', import.meta.url)))
for (const violation of violations) console.error(inWords(violation))
if (violations.length > 0) {
  console.error(`tidy: ${violations.length} to put right`)
  process.exitCode = 1
}
