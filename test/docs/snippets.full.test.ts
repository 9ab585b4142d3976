import { beforeAll, describe, vi } from 'vitest'
import { programs, testPrograms } from './programs.ts'
import { patience, Reader } from './reader.ts'

vi.setConfig(patience)

describe('every program of the guide', () => {
  const reader = new Reader('guide')
  // That their types are right is shown by snippets.test.ts.
  beforeAll(async () => {
    await reader.install()
    await reader.compile(programs)
  })
  testPrograms(
    reader,
    programs.filter(({ page }) => page !== 'README.md'),
  )
})
