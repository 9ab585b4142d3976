/** The other process of `sharded-remote`: forms the cluster and hosts all entities. Ends with its parent. */
import { hostAccounts, startMember } from './sharded-shape.ts'

process.on('disconnect', () => process.exit(0))
const member = await startMember()
hostAccounts(member)
process.send?.(member.remoting.address)
