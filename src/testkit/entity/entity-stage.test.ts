import { expect, test } from 'vitest'
import { CodedError } from '../../foundation/coded-error.ts'
import { type CommandFailed, defineEntity, entityType } from '../../entity/index.ts'
import { entityKit } from './entity-kit.ts'

class NotEnough extends CodedError {
  readonly code = 'NOT_ENOUGH'
}

const Account = defineEntity('Account', {
  state: () => ({ balance: 0 }),
  events: { Withdrawn: (state, amount: number) => ({ balance: state.balance - amount }) },
  commands: { withdraw: (self, amount: number) => self.persist('Withdrawn', amount).balance },
})

const Order = defineEntity('Order', {
  state: () => ({ paidAt: 0 }),
  events: { Paid: (_, at: number) => ({ paidAt: at }) },
  commands: {
    pay: async (self, account: string, amount: number) => {
      const left = await self.entity(Account, account).withdraw(amount)
      self.log.info({ left }, 'paid')
      self.persist('Paid', self.now())
      return left
    },
    callItself: (self) => void self.entity(entityType('Order'), self.id),
  },
})

test('other entities answer as the test says, and their calls are seen', async () => {
  const kit = entityKit(Order, 'o1').stub(Account, (id) => ({
    withdraw: (amount) => (id === 'alice' ? 100 - amount : Promise.reject(new NotEnough(id))),
  }))
  await kit.when.pay('alice', 30).then({
    answer: 70,
    calls: [['Account', 'alice', 'withdraw', 30]],
  })
  const error = await kit.when.pay('bob', 30).thenFails(/^Account 'bob': withdraw failed: bob/)
  expect((error.cause as CommandFailed).name).toBe('CommandFailed')
  expect(kit.calls).toEqual([['Account', 'bob', 'withdraw', 30]])
  await expect(kit.when.pay('alice', 1).then({ calls: [] })).rejects.toThrow(
    'actual calls:   Account/alice.withdraw(1)',
  )
  kit.stub(Account, { withdraw: () => 1 })
  await kit.when.pay('bob', 1).then({ answer: 1 })
})

test('one that the test did not think of is told by its name', async () => {
  const kit = entityKit(Order, 'o1')
  await kit.when
    .pay('alice', 30)
    .thenFails("Order calls Account 'alice', and the test has not said what that answers: kit.stub")
  await kit.when.callItself().thenFails('CALL_TO_ITSELF')
  kit.stub(Account, {})
  await kit.when.pay('alice', 30).thenFails(/withdraw is not a command of Account/)
})

test('its clock is moved by the test, and its log is kept', async () => {
  const kit = entityKit(Order, 'o1').stub(Account, { withdraw: () => 5 })
  const { state: first } = await kit.when.pay('alice', 1)
  await kit.time.advance('1h')
  const { state: second } = await kit.when.pay('alice', 1)
  expect(second.paidAt - first.paidAt).toBe(3_600_000)
  const [line] = kit.logs.matching('paid', 'info')
  expect(line?.fields).toMatchObject({ left: 5, entityType: 'Order', entityId: 'o1' })
})

test('a call that nobody answers ends when its time is up', async () => {
  const kit = entityKit(Order, 'o1').stub(Account, { withdraw: () => new Promise(() => {}) })
  const step = kit.when.pay('alice', 1)
  await kit.time.advance('5s')
  await step.thenFails('got no answer in 5 s')
})
