/** `npm run scenarios`: writes into test/README.md which tests cover which scenario of the acceptance catalogue. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listed, testsBelow } from './scenarios/listing.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const page = join(root, 'test', 'README.md')
writeFileSync(page, listed(readFileSync(page, 'utf8'), testsBelow(root)))
