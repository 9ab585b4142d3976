import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { LmdbJournal } from '../../src/persistence/index.ts'
import { wholeStore } from '../../src/persistence/internals.ts'
import { blocksIn } from '../docs/snippets.ts'
import { live, stored } from '../persistence/mixed-store.ts'
import { commandsIn } from './guide-commands.ts'
import { silentTerminal } from './silent-terminal.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'sherd-guide-'))))
afterEach(() => rmSync(folder, { recursive: true }))

async function fill(): Promise<void> {
  const journal = await LmdbJournal.open({ folder })
  const store = wholeStore(journal)
  const persistenceId = 'Counter|a'
  const large = { bytes: stored({ type: 'Incremented', by: 1000 }), tags: ['large'] }
  const epoch = await live(store, persistenceId, [stored({ type: 'Incremented', by: 1 }), large])
  const at = { persistenceId, epoch, sequenceNr: 2, savedAtMs: Date.UTC(2026, 0, 1) }
  await store.saveSnapshot({ ...at, bytes: stored({ version: 0, state: { count: 1001 } }) })
  await live(store, persistenceId, [stored({ type: 'Reset', at: new Date(Date.UTC(2026, 0, 1)) })])
  await store.claim('Counter|b', 'nobody')
  const cart = await store.claimState('Cart|7', '10.0.0.7:2552')
  const write = { persistenceId: 'Cart|7', epoch: cart.epoch, expectedRevision: 0, revision: 1 }
  await store.writeState({ ...write, bytes: stored({ version: 0, state: ['tea'] }) })
  const bytes = stored({ holder: 'worker-1' })
  await store.writeRegister({ name: 'lease/digest', expectedRevision: 0, bytes })
  await journal.close()
}

test('the commands of the page about looking print what the page says', async () => {
  await fill()
  const page = 'docs/guide/16-looking-into-a-store.md'
  const text = readFileSync(page, 'utf8')
  const printed: string[] = []
  for (const words of commandsIn(page, text)) {
    const terminal = silentTerminal()
    const told = words.map((word) => (word === './sherd-data' ? folder : word))
    expect([await runCommandLine(told, terminal), terminal.noted]).toEqual([0, []])
    printed.push(...terminal.printed)
  }
  const shown = blocksIn(page, text).filter(({ language }) => language === 'json')
  const lines = printed.map((line) => line.replace(/"storeId":"[^"]*"/, '"storeId":"…"'))
  expect(lines).toEqual(shown.flatMap((block) => block.lines))
})
