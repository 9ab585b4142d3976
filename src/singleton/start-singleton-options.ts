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
import type { LeaseImplementation, LeaseSettings } from '../lease/index.ts'
import { problemsWithLeaseChoice } from '../lease/internals.ts'

/** Of the lease of one singleton. */
export interface SingletonLeaseOptions {
  /** What makes it; a lease in the registers of the node's store when not given. */
  readonly implementation?: LeaseImplementation
  readonly settings?: Partial<LeaseSettings>
}

export interface StartSingletonOptions<T> {
  /** The same on every node. */
  readonly name: string
  /** Only members with this role run it; undefined for all. */
  readonly role?: string | undefined
  /** Makes the instance. Terms grow with every life anywhere: whoever sees two knows which is the later. */
  readonly behavior: (life: { readonly term: number }) => Behavior<T>
  /** An ordinary message that makes the instance stop when it can. Without it, it ends after the messages it has. */
  readonly stopMessage?: T
  /**
   * The instance lives only while its node holds this lease, `<system>-singleton-/system/singleton/<name>`: a second guard against
   * two, where nodes could be wrong about each other. `true`, or what the lease is made of. The same on every node. When it is
   * lost the instance is stopped at once, and starts again when the lease is granted again.
   */
  readonly lease?: boolean | SingletonLeaseOptions
}

const notYet: NotYet = {
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
  lease: problemsWithLeaseChoice,
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
