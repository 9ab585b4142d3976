/** How a singleton is described, and the look at it before it starts. */
import type { Behavior } from '../actor/index.ts'
import { isDataCenterName } from '../cluster/internals.ts'
import {
  anything,
  type Check,
  InvalidSettings,
  maybe,
  mustBe,
  problemsWithOptions,
  problemsWithText,
} from '../foundation/invalid-settings.ts'
import { isRecord } from '../foundation/is-object.ts'
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

export interface SingletonProxyOptions {
  /** As `start` has it. */
  readonly role?: string | undefined
  /** Where the instance is that shall be reached; the data center of this node when not given. */
  readonly dataCenter?: string | undefined
}

/** What people look for here and is found elsewhere. */
const places: ReadonlyMap<string, string> = new Map([
  [
    'dataCenter',
    'is where the node is (`settings.cluster.dataCenter`): each has an instance of its own, and `proxy` reaches that of another',
  ],
])

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
  const problems = problemsWithOptions(options, checks, places)
  if (problems.length > 0) {
    throw new InvalidSettings(`The singleton ${show(options['name'])}`, problems)
  }
}

const proxyChecks = {
  role: problemsWithText,
  dataCenter: maybe(mustBe('the name of a data center', isDataCenterName)),
} satisfies Record<keyof SingletonProxyOptions, Check>

/** The options of a proxy; a text is the role. Throws `InvalidSettings` with every problem. */
export function proxyOptions(
  name: string,
  given: string | SingletonProxyOptions | undefined,
): SingletonProxyOptions {
  const options = isRecord(given) ? given : { role: given }
  const problems = problemsWithOptions(options, proxyChecks)
  if (problems.length > 0) throw new InvalidSettings(`The singleton ${show(name)}`, problems)
  return options
}
