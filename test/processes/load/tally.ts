/** The entity of the load: keeps every id that was appended to it, durably, and says where it lives. */
import { defineEntity } from '../../../src/entity/index.ts'

/** What the store keeps of it: events alone, snapshots beside all events, or snapshots and the newest events. */
export type Keeping = 'events' | 'snapshots' | 'newest events'

/** Full pages and the newest: an append copies one page, however many ids there are. */
interface TallyState {
  readonly count: number
  readonly pages: readonly (readonly string[])[]
  readonly newest: readonly string[]
}

const idsOnPage = 100

/** Small, so that nodes die while snapshots are saved and events are deleted. */
const snapshots = { every: 10, keep: 2 }

export type TallyDefinition = ReturnType<typeof tallyWith>

export function tallyWith(keeping: Keeping, rememberEntities = false) {
  return defineEntity('Tally', {
    state: (): TallyState => ({ count: 0, pages: [], newest: [] }),
    events: {
      Appended: ({ count, pages, newest }, id: string) =>
        newest.length < idsOnPage
          ? { count: count + 1, pages, newest: [...newest, id] }
          : { count: count + 1, pages: [...pages, newest], newest: [id] },
    },
    commands: {
      append: (self, id: string) => self.persist('Appended', id).count,
      /** Oldest first. */
      ids: (self) => [...self.state.pages.flat(), ...self.state.newest],
    },
    passivateAfter: 'never',
    rememberEntities,
    ...(keeping !== 'events' && {
      snapshots: { ...snapshots, deleteEvents: keeping === 'newest events' },
      snapshotVersion: 1,
    }),
  })
}
