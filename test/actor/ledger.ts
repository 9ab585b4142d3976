/** Plans for one receiver of messages, and the book in which the fate of each message is written down. */
import fc from 'fast-check'
import type { OverflowPolicy } from '../../src/actor/index.ts'

/** What the receiver does with a message. */
export type Deed =
  | 'handle'
  | 'handle async'
  | 'fail'
  | 'fail async'
  | 'fail outside'
  | 'stash'
  | 'stash async'
  | 'unstash all'
  | 'unstash one'
  | 'clear stash'
  | 'unhandled'
  | 'unhandled async'
  | 'become'
  | 'stop'
  | 'stop async'
  | 'context.stop'

export interface Mail {
  readonly sender: number
  readonly number: number
  readonly deed: Deed
  /** What it does when it comes back from the stash. */
  readonly later: Deed
}

/** What happens from outside: a message is sent, some turns are given, time passes, the parent stops the receiver. */
export type Step =
  | (Omit<Mail, 'number'> & { readonly type: 'send'; readonly via: Via })
  | { readonly type: 'turns'; readonly count: number; readonly quota: number }
  | { readonly type: 'settle one' }
  | { readonly type: 'pass time'; readonly ms: number }
  | { readonly type: 'stop' }

export type Via = 'ref' | 'adapter'

export interface Plan {
  readonly strategy: 'none' | 'stop' | 'resume' | 'restart' | 'limited' | 'backoff' | 'nested'
  readonly mailbox: { readonly messagesMax: number; readonly overflow: OverflowPolicy } | undefined
  readonly stashedMessagesMax: number
  readonly restartStashMessagesMax: number
  readonly hasChild: boolean
  readonly isIntercepted: boolean
  /** Whether the system ends only when everybody has come to rest. */
  readonly isPatient: boolean
  readonly steps: readonly Step[]
}

/** The fate of each message, by its name. A fate may be written down once. */
export class Ledger {
  readonly sent: string[] = []
  readonly #fates = new Map<string, string[]>()
  readonly handled: Mail[] = []

  note(mail: unknown, fate: string): void {
    const name = nameOf(mail as Mail)
    this.#fates.set(name, [...(this.#fates.get(name) ?? []), fate])
  }

  /** Every message, with all that became of it, when that is not exactly one thing. */
  get discrepancies(): string[] {
    const known = new Set(this.sent)
    const strangers = [...this.#fates.keys()].filter((name) => !known.has(name))
    return [
      ...strangers.map((name) => `${name} was never sent`),
      ...this.sent
        .filter((name) => this.#fates.get(name)?.length !== 1)
        .map((name) => `${name}: ${this.#fates.get(name)?.join(', ') ?? 'vanished'}`),
    ]
  }
}

export const nameOf = ({ sender, number, deed, later }: Mail): string =>
  `${sender}.${number} ${deed}, later ${later}`

const deeds: readonly Deed[] = [
  'handle',
  'handle async',
  'fail',
  'fail async',
  'fail outside',
  'stash',
  'stash async',
  'unstash all',
  'unstash one',
  'clear stash',
  'unhandled',
  'unhandled async',
  'become',
]
const lastDeeds: readonly Deed[] = ['stop', 'stop async', 'context.stop']
const anyDeed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...deeds) },
  { weight: 1, arbitrary: fc.constantFrom(...lastDeeds) },
)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      type: fc.constant('send' as const),
      sender: fc.nat(2),
      deed: anyDeed,
      // Not into the stash again: its name would be the same.
      later: anyDeed.filter((deed) => !deed.startsWith('stash')),
      via: fc.constantFrom<Via>('ref', 'ref', 'adapter'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('turns' as const),
      count: fc.integer({ min: 1, max: 4 }),
      quota: fc.integer({ min: 1, max: 8 }),
    }),
  },
  { weight: 4, arbitrary: fc.constant<Step>({ type: 'settle one' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ type: 'stop' }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('pass time' as const),
      ms: fc.constantFrom(1, 10, 50),
    }),
  },
)

export const plan: fc.Arbitrary<Plan> = fc.record({
  strategy: fc.constantFrom<Plan['strategy']>(
    'none',
    'stop',
    'resume',
    'restart',
    'limited',
    'backoff',
    'nested',
  ),
  mailbox: fc.option(
    fc.record({
      messagesMax: fc.integer({ min: 1, max: 4 }),
      overflow: fc.constantFrom<OverflowPolicy>('drop-new', 'drop-head', 'fail'),
    }),
    { nil: undefined },
  ),
  stashedMessagesMax: fc.integer({ min: 0, max: 6 }),
  restartStashMessagesMax: fc.integer({ min: 0, max: 6 }),
  hasChild: fc.boolean(),
  isIntercepted: fc.boolean(),
  isPatient: fc.boolean(),
  steps: fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }),
})
