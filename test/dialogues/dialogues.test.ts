import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { perform } from './dialogue.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const files = readdirSync(folder).filter((name) => name.endsWith('.txt'))

/** `npx vitest run test/dialogues -u` writes down how they go now: for a reader, who looks at the difference. */
test.each(files)('%s', async (name) => {
  const script = readFileSync(`${folder}${name}`, 'utf8')
  await expect(perform(script)).toMatchFileSnapshot(`${folder}${name}`)
})
