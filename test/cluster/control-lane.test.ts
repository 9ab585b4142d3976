import { afterEach, expect, test } from 'vitest'
import { PeerConnected } from '../../src/remote/index.ts'
import { ClusterNodes } from './cluster-nodes.ts'

const nodes = new ClusterNodes()
afterEach(() => nodes.stop())

test.each([{}, { controlPaths: ['/user/urgent'] }])(
  'what members tell each other goes by the control lane, with the settings %o',
  async (remote) => {
    const first = await nodes.start({ seeds: ['self'], remote })
    const lanes: string[] = []
    first.system.eventStream.subscribe(PeerConnected, ({ lane }) => void lanes.push(lane))
    const second = await nodes.start({ seeds: [first.address], remote })
    await second.cluster.whenUp
    expect(new Set(lanes)).toEqual(new Set(['control']))
  },
)
