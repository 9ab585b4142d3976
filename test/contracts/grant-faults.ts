/** Journals that break one promise each about claims under a lease. */
import type { ClaimFenced, Grant } from '../../src/persistence/index.ts'
import { type Faults, good } from './seeded-fault.ts'

/** As if the grant had another name, of which nobody hears. */
const renamed =
  (name: (grant: Grant, id: string) => string) =>
  (grant: Grant | undefined, id: string): Grant | undefined =>
    grant && { ...grant, name: name(grant, id) }

export const grantFaults: Faults = {
  'it does not look at grants': {
    open: (store) => ({ claim: (id, writer) => good(store).claim(id, writer) }),
    fails: 'refuses a claim under an earlier grant, and the present writer goes on',
  },
  'it keeps a token for each stream': {
    open: (store) => ({
      claim: (id, writer, grant) =>
        good(store)
          .claim(id, writer, renamed(({ name }) => `${name}/${id}`)(grant, id))
          .catch((error: ClaimFenced) => {
            throw Object.assign(error, { grant })
          }),
    }),
    fails: 'refuses it also for a stream that nobody has claimed under the later one',
  },
  'it claims all the same when it says no': {
    open: (store) => ({
      claim: (id, writer, grant) =>
        good(store)
          .claim(id, writer, grant)
          .catch(async (error: unknown) => {
            await good(store).claim(id, writer)
            throw error
          }),
    }),
    fails: 'refuses a claim under an earlier grant, and the present writer goes on',
  },
  'it has one token for all names': {
    open: (store) => ({
      claim: (id, writer, grant) => good(store).claim(id, writer, renamed(() => 'all')(grant, id)),
    }),
    fails: 'keeps the tokens of one name apart from those of others',
  },
  'it takes a missing grant for the first one': {
    open: (store) => ({
      claim: (id, writer, grant = { name: 'shop-shard-Cart-7', token: 1 }) =>
        good(store).claim(id, writer, grant),
    }),
    fails: 'takes a claim without a grant, which changes nothing for those with one',
  },
  'it takes any number for a token': {
    open: (store) => ({
      claim: (id, writer, grant) =>
        good(store).claim(
          id,
          writer,
          grant && { ...grant, token: Math.max(1, Math.floor(grant.token) || 1) },
        ),
    }),
    fails: 'refuses grants that no store has to take',
  },
  'it takes a grant that it has seen for an earlier one': {
    open: (store) => ({
      claim: async (id, writer, grant) => {
        const seen = await good(store).listGrants()
        const isSeen = seen.some(({ name, token }) => name === grant?.name && token === grant.token)
        return good(store).claim(id, writer, grant && isSeen ? { ...grant, token: 1 } : grant)
      },
    }),
    fails: 'takes claims under the same grant, and later ones, as all others',
  },
  'it forgets the greatest token when it has claimed': {
    open: (store) => ({
      claim: async (id, writer, grant) => {
        const claim = await good(store).claim(id, writer, grant)
        if (grant?.token === 6) await good(store).forgetGrant(grant.name)
        return claim
      },
    }),
    fails: 'refuses some of many claims at once, and none of the latest grant',
  },
  'it forgets tokens when it is closed': {
    open: (store) => ({
      close: async () => {
        for (const { name } of await good(store).listGrants()) await good(store).forgetGrant(name)
      },
    }),
    fails: 'lists the greatest grant of each name, also when it is opened anew',
  },
  'it does not forget a token': {
    open: () => ({ forgetGrant: async () => undefined }),
    fails: 'takes any token of a name that it was told to forget',
  },
  'it does not look at grants of states': {
    open: (store) => ({ claimState: (id, writer) => good(store).claimState(id, writer) }),
    fails: 'refuses a claim of a state under an earlier grant, whoever claimed what',
  },
}
