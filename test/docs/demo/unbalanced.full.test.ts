/** A bank that loses money must say so, and end as a program that failed. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { node, root } from '../reader.ts'

const folder = mkdtempSync(join(tmpdir(), 'sherd-unbalanced-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** The demo as it is, but its accounts book one coin too little now and then. */
function leakyDemo(): string {
  for (const name of ['src', 'node_modules', 'package.json', 'tsconfig.json']) {
    symlinkSync(join(root, name), join(folder, name))
  }
  const demo = join(folder, 'examples', 'demo')
  cpSync(join(root, 'examples', 'demo'), demo, { recursive: true })
  const file = join(demo, 'account.ts')
  const honest = 'booked(state.statement, order, order.amount)'
  const source = readFileSync(file, 'utf8')
  expect(source).toContain(honest)
  const leaky = honest.replace('order.amount', 'order.amount - (order.number % 7 === 0 ? 1 : 0)')
  writeFileSync(file, source.replace(honest, leaky))
  return join(demo, 'main.ts')
}

test(
  'books that do not balance are told, and end the demo with 1',
  { timeout: 60_000 },
  async () => {
    const { code, stdout } = await node(['--import', 'tsx', leakyDemo(), '--seconds', '5'])
    expect(stdout).toMatch(/there should be [\d,]+ coins, there are [\d,]+/)
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(
      /^The books do not balance: \d+ problems\.$/,
    )
    expect(code).toBe(1)
  },
)
