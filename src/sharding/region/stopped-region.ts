/** What a region that has stopped still answers, so that nobody waits for it and nothing is lost in silence. */
import type { NodeId } from '../../foundation/node-id.ts'
import type { RegionEffect, RegionInput } from './region-inputs.ts'

export function stepStoppedRegion<Parcel>(
  self: NodeId,
  input: RegionInput<Parcel>,
): RegionEffect<Parcel>[] {
  switch (input.type) {
    case 'Message':
      return [{ type: 'Drop', parcel: input.parcel, reason: 'region-stopped' }]
    case 'FromRegion':
      return answerPeer(input.region, input.message)
    case 'FromCoordinator': {
      const message = { type: 'RegionStopped', region: self } as const
      return [{ type: 'SendToCoordinator', to: input.coordinator, message }]
    }
    default:
      return []
  }
}

function answerPeer<Parcel>(
  to: NodeId,
  message: Extract<RegionInput<Parcel>, { type: 'FromRegion' }>['message'],
): RegionEffect<Parcel>[] {
  const { shard } = message
  switch (message.type) {
    case 'Forwarded': {
      const { stamp, parcel } = message
      const back = { type: 'Returned', shard, stamp, parcels: [parcel] } as const
      return [{ type: 'SendToPeer', to, message: back }]
    }
    case 'Returned':
      return message.parcels.map((parcel) => ({ type: 'Drop', parcel, reason: 'region-stopped' }))
    case 'Flush': {
      const answer = { type: 'FlushAck', shard, stamp: message.stamp } as const
      return [{ type: 'SendToPeer', to, message: answer }]
    }
    default:
      return []
  }
}
