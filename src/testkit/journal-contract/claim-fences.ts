/** The part of the contract about claims under a lease, for journals that look at grants. */
import assert from 'node:assert/strict'
import { type Grant, type Journal, sliceOf } from '../../persistence/index.ts'
import type { AddTest } from './journal-contract.ts'
import { appendText, readTexts } from './journal-texts.ts'
import { fencesOf, statesOf } from './ports.ts'

const under = (token: number, name = 'shop-shard-Cart-7'): Grant => ({ name, token })
const fencedBy = (byToken: number, grant: Grant): object => ({
  ...{ code: 'CLAIM_FENCED', byToken, grant },
})

/** Another id of the same slice: a store that is divided may keep the tokens of each part for itself. */
function besides(id: string): string {
  for (let i = 0; ; i++) {
    const other = `${id}${i}`
    if (sliceOf(other) === sliceOf(id)) return other
  }
}

async function grantsOf(journal: Journal): Promise<readonly Grant[]> {
  const grants = await fencesOf(journal).listGrants()
  return grants.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

export function claimFences(check: AddTest): void {
  refused(check)
  taken(check)
  atOnce(check)
  looked(check)
}

/** For journals that keep states besides. */
export function stateClaimFences(check: AddTest): void {
  check('refuses a claim of a state under an earlier grant, whoever claimed what', async (on) => {
    const states = statesOf(on.journal)
    await states.claimState('a', 'old', under(1))
    const present = await states.claimState('a', 'present', under(2))
    const late = states.claimState('a', 'old', under(1))
    await assert.rejects(late, fencedBy(2, under(1)))
    await assert.rejects(on.journal.claim(besides('a'), 'old', under(1)), fencedBy(2, under(1)))
    const { epoch, revision } = present
    const write = { persistenceId: 'a', epoch, expectedRevision: revision, revision: revision + 1 }
    const written = await states.writeState({ ...write, bytes: new Uint8Array(3) })
    assert.equal(written.type, 'StateWritten')
    await on.reopen()
    const later = statesOf(on.journal).claimState('a', 'old', under(1))
    await assert.rejects(later, fencedBy(2, under(1)))
  })
}

function refused(check: AddTest): void {
  check('refuses a claim under an earlier grant, and the present writer goes on', async (on) => {
    await on.journal.claim('a', 'old', under(3))
    const { epoch } = await on.journal.claim('a', 'present', under(4))
    await assert.rejects(on.journal.claim('a', 'old', under(3)), {
      ...fencedBy(4, under(3)),
      persistenceId: 'a',
    })
    const appended = await appendText(on.journal, { id: 'a', epoch, after: 0 }, 'still mine')
    assert.equal(appended.type, 'Appended')
    await on.reopen()
    await assert.rejects(on.journal.claim('a', 'old', under(3)), fencedBy(4, under(3)))
    assert.deepEqual(await readTexts(on.journal, 'a'), ['still mine'])
    assert.ok((await on.journal.claim('a', 'next', under(5))).epoch > epoch)
  })

  check('refuses it also for a stream that nobody has claimed under the later one', async (on) => {
    const other = besides('a')
    await on.journal.claim('a', 'present', under(2))
    await assert.rejects(on.journal.claim(other, 'old', under(1)), fencedBy(2, under(1)))
    await on.journal.claim(other, 'present', under(2))
  })

  check('refuses grants that no store has to take', async ({ journal }) => {
    const code = 'INVALID_JOURNAL_CALL'
    for (const token of [0, -1, 1.5, NaN, 2 ** 53]) {
      await assert.rejects(journal.claim('a', 'w', under(token)), { code })
    }
    for (const name of ['', 'x'.repeat(241), 'a\0b', '\ud800']) {
      await assert.rejects(journal.claim('a', 'w', under(1, name)), { code })
    }
    await journal.claim('a', 'w', under(1, 'x'.repeat(240)))
    await journal.claim('a', 'w', under(2 ** 53 - 1, 'x'))
    const last = journal.claim('a', 'w', under(2 ** 53 - 2, 'x'))
    await assert.rejects(last, fencedBy(2 ** 53 - 1, under(2 ** 53 - 2, 'x')))
  })
}

function taken(check: AddTest): void {
  check('takes claims under the same grant, and later ones, as all others', async ({ journal }) => {
    let last = 0
    for (const token of [1, 1, 2, 9, 9, 10]) {
      const { epoch } = await journal.claim('a', 'w', under(token))
      assert.ok(epoch > last)
      last = epoch
    }
  })

  check('keeps the tokens of one name apart from those of others', async ({ journal }) => {
    await journal.claim('a', 'w', under(9, 'one'))
    await journal.claim('a', 'w', under(1, 'two'))
    await assert.rejects(journal.claim('a', 'w', under(8, 'one')), fencedBy(9, under(8, 'one')))
  })

  check('takes a claim without a grant, which changes nothing for those with one', async (on) => {
    await on.journal.claim('a', 'w', under(2))
    const { epoch } = await on.journal.claim('a', 'a tool')
    await assert.rejects(on.journal.claim('a', 'w', under(1)), fencedBy(2, under(1)))
    assert.ok((await on.journal.claim('a', 'w', under(2))).epoch > epoch)
  })
}

function atOnce(check: AddTest): void {
  check('refuses some of many claims at once, and none of the latest grant', async (on) => {
    const { journal } = on
    const tokens = Array.from({ length: 60 }, (_, i) => ((i * 37) % 6) + 1)
    const results = await Promise.allSettled(
      tokens.map((token, i) => journal.claim(`s|${i % 15}`, 'w', under(token))),
    )
    for (const [i, result] of results.entries()) {
      if (result.status === 'fulfilled') continue
      assert.notEqual(tokens[i], 6)
      assert.equal((result.reason as { code?: string }).code, 'CLAIM_FENCED')
    }
    for (let i = 0; i < 15; i++) await journal.claim(`s|${i}`, 'w', under(6))
    for (let token = 1; token < 6; token++) {
      const late = journal.claim(`s|${token}`, 'w', under(token))
      await assert.rejects(late, fencedBy(6, under(token)))
    }
  })
}

function looked(check: AddTest): void {
  check('lists the greatest grant of each name, also when it is opened anew', async (on) => {
    assert.deepEqual(await grantsOf(on.journal), [])
    for (const token of [1, 3]) await on.journal.claim('a', 'w', under(token, 'one'))
    for (let i = 0; i < 8; i++) await on.journal.claim(`s|${i}`, 'w', under(7, 'two'))
    await on.reopen()
    assert.deepEqual(await grantsOf(on.journal), [under(3, 'one'), under(7, 'two')])
  })

  check('takes any token of a name that it was told to forget', async (on) => {
    for (let i = 0; i < 8; i++) await on.journal.claim(`s|${i}`, 'w', under(7))
    await on.journal.claim('a', 'w', under(7, 'other'))
    await fencesOf(on.journal).forgetGrant(under(7).name)
    await fencesOf(on.journal).forgetGrant('never seen')
    assert.deepEqual(await grantsOf(on.journal), [under(7, 'other')])
    await on.reopen()
    for (let i = 0; i < 8; i++) await on.journal.claim(`s|${i}`, 'w', under(1))
    await on.journal.claim('s|3', 'w', under(2))
    await assert.rejects(on.journal.claim('s|3', 'w', under(1)), fencedBy(2, under(1)))
    const code = 'INVALID_JOURNAL_CALL'
    await assert.rejects(fencesOf(on.journal).forgetGrant(''), { code })
  })
}
