import { expect, test } from 'vitest'
import { ActorSystem } from '../../actor/index.ts'
import { ManualTime } from '../../testkit/index.ts'
import { AskTable } from './ask-table.ts'
import { LocalRecipients } from './local-recipients.ts'

test('whoever comes later gets what was told before under the same name, whole', async () => {
  const { environment } = new ManualTime()
  const system = new ActorSystem('late', { environment })
  const recipients = new LocalRecipients(system, 'a:1#0000000000000001', new AskTable())
  const told: unknown[] = []
  const recipient = recipients.recipientAt('/system/shards/Cart/7/ada', 'b:1#0000000000000002')
  recipient.tell('nobody is there', 100)
  recipients.serve('/system/shards/Cart', (name) => ({
    tell: (message, bytes) => void told.push([name, message, bytes]),
  }))
  recipient.tell('somebody is', 200)
  expect(told).toEqual([['7/ada', 'somebody is', 200]])
})
