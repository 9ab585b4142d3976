/** The entity of the load: keeps every id that was appended to it, durably, and says where it lives. */
import { defineEntity } from '../../../src/entity/index.ts'

/** The newest id and those before it: one small object per id, however many there are. */
interface Entry {
  readonly id: string
  readonly before: Entry | undefined
}

interface TallyState {
  readonly count: number
  readonly newest: Entry | undefined
}

export const Tally = defineEntity('Tally', {
  state: (): TallyState => ({ count: 0, newest: undefined }),
  events: {
    Appended: (state, id: string) => ({
      count: state.count + 1,
      newest: { id, before: state.newest },
    }),
  },
  commands: {
    append: (self, id: string) => self.persist('Appended', id).count,
    ids: (self) => idsOf(self.state),
  },
  passivateAfter: 'never',
})

/** Oldest first. */
function idsOf({ newest }: TallyState): string[] {
  const ids: string[] = []
  for (let entry = newest; entry !== undefined; entry = entry.before) ids.push(entry.id)
  return ids.reverse()
}
