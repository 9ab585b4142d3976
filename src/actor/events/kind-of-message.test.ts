import { describe, expect, test } from 'vitest'
import { kindOfMessage } from './kind-of-message.ts'

class Transfer {
  readonly iban = 'DE00 secret'

  toString(): string {
    return `a transfer to ${this.iban}`
  }
}

class Tagged {
  get type(): string {
    throw new Error('nobody may look')
  }
}

describe('the kind of a message', () => {
  test.each<[string, unknown, string]>([
    ['its type', { type: 'Add', secret: 'x' }, 'Add'],
    ['its type, in any letters', { type: 'größe:ändern', secret: 'x' }, 'größe:ändern'],
    ['the command of a call', { command: 'add', args: ['secret'] }, 'the command add'],
    ['its class', new Transfer(), 'Transfer'],
    ['its class before a getter', new Tagged(), 'Tagged'],
    ['the class of an error', new RangeError('secret'), 'RangeError'],
    ['the class of a collection', new Map([['secret', 1]]), 'Map'],
    ['no words in place of a type', { type: 'my secret words' }, 'an object'],
    ['no address in place of a type', { type: 'me@example.com' }, 'an object'],
    ['no long type', { type: 'x'.repeat(61) }, 'an object'],
    ['no type that is none', { type: 5 }, 'an object'],
    ['no command of another shape', { command: 'secret' }, 'an object'],
    ['nothing of a plain object', { secret: 1 }, 'an object'],
    ['nothing of an object without a prototype', Object.create(null), 'an object'],
    ['nothing of an array', ['secret'], 'an array'],
    ['nothing of a text', 'secret', 'a text'],
    ['nothing of a number', 4711, 'a number'],
    ['nothing of a bigint', 4711n, 'a bigint'],
    ['nothing of a symbol', Symbol('secret'), 'a symbol'],
    ['nothing of a function', () => 'secret', 'a function'],
    ['null', null, 'null'],
  ])('is %s', (_, message, kind) => {
    expect(kindOfMessage(message)).toBe(kind)
  })

  test('is known even of what cannot be looked at', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(kindOfMessage(proxy)).toBe('an object')
  })
})
