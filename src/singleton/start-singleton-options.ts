/** How a singleton is described, and the look at it before it starts. */
import type { Behavior } from '../actor/index.ts'
import {
  anything,
  type Check,
  InvalidSettings,
  mustBe,
  problemsWithOptions,
  problemsWithText,
} from '../foundation/invalid-settings.ts'
import { isRecord } from '../foundation/is-object.ts'
import { type NotYet, refuseNotYet } from '../foundation/not-there-yet.ts'
import { show } from '../foundation/show.ts'

export interface StartSingletonOptions<T> {
  /** The same on every node. */
  readonly name: string
  /** Only members with this role run it; undefined for all. */
  readonly role?: string | undefined
  /** Makes the instance. Terms grow with every life anywhere: whoever sees two knows which is the later. */
  readonly behavior: (life: { readonly term: number }) => Behavior<T>
  /** An ordinary message that makes the instance stop when it can. Without it, it ends after the messages it has. */
  readonly stopMessage?: T
}

const notYet: NotYet = {
  lease:
    'An instance starts only after every older member has ended its own or was removed; its `term` tells two lives apart.',
  dataCenter: 'Run one cluster per data center.',
}

const checks = {
  name: mustBe('a text', (given) => typeof given === 'string' && given !== ''),
  role: problemsWithText,
  behavior: (name, given) =>
    typeof given === 'function'
      ? []
      : [
          `${name} must be a function that makes the behavior of the instance, such as ({ term }) => …, not ${show(given)}; where it should not run, use proxy`,
        ],
  stopMessage: anything,
} satisfies Record<keyof StartSingletonOptions<never>, Check>

/** Of what somebody without types may give. Throws `NotThereYet`, or `InvalidSettings` with every problem. */
export function checkStartSingleton(options: unknown): void {
  if (!isRecord(options)) {
    throw new InvalidSettings('The options of a singleton', [
      `they must be an object such as { name, behavior }, not ${show(options)}`,
    ])
  }
  refuseNotYet(options, notYet)
  const problems = problemsWithOptions(options, checks)
  if (problems.length > 0) {
    throw new InvalidSettings(`The singleton ${show(options['name'])}`, problems)
  }
}
