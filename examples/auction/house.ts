/**
 * The auction house: which auctions are under way. There is one, and every process looks into it now and then, so that an
 * auction is closed and its errands are run although nobody asks for it any more.
 */
import { defineEntity } from '../../src/index.ts'

export const House = defineEntity('House', {
  state: () => ({ open: new Set<string>() as ReadonlySet<string> }),
  events: {
    Listed: ({ open }, auction: string) => ({ open: new Set(open).add(auction) }),
    Ended: ({ open }, auction: string) => ({
      open: new Set([...open].filter((each) => each !== auction)),
    }),
  },
  commands: {
    list: (self, auction: string) => {
      if (!self.state.open.has(auction)) self.persist('Listed', auction)
    },
    ended: (self, auction: string) => {
      if (self.state.open.has(auction)) self.persist('Ended', auction)
    },
    underWay: (self) => [...self.state.open],
  },
})

/** The one there is. */
export const theHouse = 'main'
