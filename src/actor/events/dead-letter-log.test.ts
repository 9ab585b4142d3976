import { describe, expect, test } from 'vitest'
import { minutes } from '../../foundation/duration.ts'
import type { LogFields, Logger, LogLevel } from '../../foundation/logger.ts'
import type { ActorRef } from '../ref/actor-ref.ts'
import { defaultActorSettings } from '../actor-settings.ts'
import { DeadLetterLog, type DeadLetterLogSettings } from './dead-letter-log.ts'
import { DeadLetter, Dropped, suppressDeadLetterLog, UnhandledMessage } from './lost-messages.ts'

const refTo = (...elements: readonly string[]) =>
  ({
    path: { elements },
    toString: () => `sherd://shop/${elements.join('/')}#7`,
  }) as unknown as ActorRef<never>
const cart = refTo('user', 'cart')

function newLog(settings: Partial<DeadLetterLogSettings> = {}) {
  const lines: { level: LogLevel; fields: LogFields; text: string }[] = []
  const at = (level: LogLevel) => (fields: LogFields, text: string) =>
    void lines.push({ level, fields, text })
  const logger: Logger = {
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  }
  const time = { nowMs: 0 }
  const clock = { monotonicMs: () => time.nowMs, wallMs: () => time.nowMs }
  const log = new DeadLetterLog({
    logger,
    clock,
    settings: { ...defaultActorSettings, ...settings },
  })
  const lose = (count: number) => {
    for (let i = 0; i < count; i++) log.record(new DeadLetter({ i }, cart, 'terminated'))
  }
  return { log, lines, time, lose, texts: () => lines.splice(0).map(({ text }) => text) }
}

describe('DeadLetterLog', () => {
  test('logs the kind of the message, the recipient and the reason', () => {
    const { log, lines } = newLog()
    const recipient = 'sherd://shop/user/cart#7'
    log.record(new DeadLetter({ type: 'Add', article: 'secret' }, cart, 'late-reply'))
    log.record(new UnhandledMessage('secret', cart))
    expect(lines).toEqual([
      {
        level: 'info',
        fields: { type: 'DeadLetter', kind: 'Add', recipient, reason: 'late-reply' },
        text: 'A message was lost: Add to sherd://shop/user/cart#7 (late-reply)',
      },
      {
        level: 'debug',
        fields: { type: 'UnhandledMessage', kind: 'a text', recipient },
        text: 'A message was not handled: a text to sherd://shop/user/cart#7',
      },
    ])
  })

  test('calls actors of the runtime as people do, and is quiet about answers that nobody waits for', () => {
    const { log, lines } = newLog()
    log.nameOf = (recipient) =>
      recipient.path.elements[0] === 'system'
        ? { text: "Cart 'c1'", fields: { id: 'c1' } }
        : undefined
    log.record(new DeadLetter({ type: 'Add' }, refTo('system', 'carts', 'c1'), 'terminated'))
    log.record(new DeadLetter({ type: 'Added' }, refTo('temp', '$ask-1'), 'late-reply'))
    expect(lines.map(({ level, text }) => `${level} ${text}`)).toEqual([
      "info A message was lost: Add to Cart 'c1' (terminated)",
      'debug A message was lost: Added to sherd://shop/temp/$ask-1#7 (late-reply)',
    ])
    expect(lines[0]?.fields).toEqual({
      ...{ type: 'DeadLetter', kind: 'Add', id: 'c1', reason: 'terminated' },
    })
  })

  test('says nothing of what is in a message', () => {
    const { log, lines } = newLog()
    const card = { toString: () => 'secret' }
    const messages = [
      { command: 'pay', args: ['secret'], replyTo: cart },
      { secret: true },
      'secret',
      card,
    ]
    for (const message of messages) {
      log.record(new DeadLetter(message, cart, 'terminated'))
      log.record(new Dropped(message, cart, 'mailbox-full'))
      log.record(new UnhandledMessage(message, cart))
    }
    expect(lines).toHaveLength(3 * messages.length)
    expect(JSON.stringify(lines)).not.toContain('secret')
    expect(lines[0]?.text).toContain('A message was lost: the command pay to ')
  })

  test('counts by type and reason, logged or not', () => {
    const { log, lose } = newLog({ logDeadLettersMax: 1 })
    lose(20)
    log.record(new DeadLetter('m', cart, 'late-reply'))
    log.record(new Dropped('m', cart, 'mailbox-full'))
    log.record(new UnhandledMessage('m', cart))
    const counts = log.counts()
    expect(counts).toEqual({
      'DeadLetter/terminated': 20,
      'DeadLetter/late-reply': 1,
      'Dropped/mailbox-full': 1,
      UnhandledMessage: 1,
    })
    lose(1)
    expect(counts['DeadLetter/terminated']).toBe(20)
  })

  test('falls silent after ten lines, and says in the tenth for how long', () => {
    const { lose, texts } = newLog()
    lose(25)
    const logged = texts()
    expect(logged).toHaveLength(10)
    expect(logged[8]).not.toContain('suspended')
    expect(logged[9]).toContain('logging of lost messages is suspended for 5 m')
  })

  test('resumes after the silence and says how many were not logged', () => {
    const { lose, texts, time } = newLog()
    lose(25)
    time.nowMs = minutes(5) - 1
    lose(1)
    expect(texts()).toHaveLength(10)
    time.nowMs = minutes(5)
    lose(1)
    const resumed = texts()
    expect(resumed).toHaveLength(2)
    expect(resumed[0]).toContain('16 were not logged')
    lose(20)
    expect(texts()).toHaveLength(9)
    time.nowMs = minutes(10)
    lose(1)
    expect(texts()[0]).toContain('11 were not logged')
  })

  test('says nothing of resuming when nothing was left out', () => {
    const { lose, texts, time } = newLog({ logDeadLettersMax: 1 })
    lose(1)
    time.nowMs = minutes(5)
    lose(1)
    expect(texts()).toHaveLength(2)
  })

  test('applies one limit to dead letters and dropped messages together', () => {
    const { log, lose, texts } = newLog()
    lose(6)
    for (let i = 0; i < 6; i++) log.record(new Dropped(i, cart, 'mailbox-full'))
    expect(texts()).toHaveLength(10)
  })

  test('logs unhandled messages at debug, with a limit of their own', () => {
    const { log, lose, lines } = newLog({ logDeadLettersMax: 3 })
    for (let i = 0; i < 5; i++) log.record(new UnhandledMessage(i, cart))
    expect(lines.map(({ level }) => level)).toEqual(['debug', 'debug', 'debug'])
    expect(lines[2]?.text).toContain('logging of unhandled messages is suspended')
    lose(1)
    expect(lines.at(-1)?.level).toBe('info')
  })

  test('counts but does not log messages that are marked', () => {
    const { log, lines } = newLog({ logDeadLettersMax: 2 })
    for (let i = 0; i < 5; i++) {
      log.record(new DeadLetter({ [suppressDeadLetterLog]: true }, cart, 'terminated'))
    }
    expect(lines).toEqual([])
    expect(log.counts()).toEqual({ 'DeadLetter/terminated': 5 })
    log.record(new DeadLetter({ [suppressDeadLetterLog]: false }, cart, 'terminated'))
    log.record(new DeadLetter(null, cart, 'terminated'))
    expect(lines).toHaveLength(2)
  })

  test('logs nothing when the number is 0, and all when it is Infinity', () => {
    const off = newLog({ logDeadLettersMax: 0 })
    off.lose(3)
    expect(off.lines).toEqual([])
    expect(off.log.counts()).toEqual({ 'DeadLetter/terminated': 3 })
    const all = newLog({ logDeadLettersMax: Infinity })
    all.lose(100)
    expect(all.lines).toHaveLength(100)
  })

  test('only counts once the shutdown has begun, unless told otherwise', () => {
    const quiet = newLog()
    quiet.log.shutdownBegan()
    quiet.lose(3)
    expect(quiet.lines).toEqual([])
    expect(quiet.log.counts()).toEqual({ 'DeadLetter/terminated': 3 })
    const loud = newLog({ logDeadLettersDuringShutdown: true })
    loud.log.shutdownBegan()
    loud.lose(3)
    expect(loud.lines).toHaveLength(3)
  })
})
