/** How a singleton is described, and the look at it before it starts. */
import type { Behavior } from '../actor/index.ts'
import {
  InvalidSettings,
  problemsWithText,
  unknownSettings,
} from '../foundation/invalid-settings.ts'
import { refuseNotYet } from '../foundation/not-there-yet.ts'
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

/** What people will look for, and what to do until it is there. */
const notYet: Readonly<Record<string, string>> = {
  lease:
    'An instance starts only after every older member has ended its own or was removed; its `term` tells two lives apart.',
  dataCenter: 'Run one cluster per data center.',
}

const known = {
  name: true,
  role: true,
  behavior: true,
  stopMessage: true,
} satisfies Record<keyof StartSingletonOptions<never>, true>

/** Of what somebody without types may give. Throws `NotThereYet`, or `InvalidSettings` with every problem. */
export function checkStartSingleton(options: unknown): void {
  if (typeof options !== 'object' || options === null) {
    throw new InvalidSettings('The options of a singleton', [
      `they must be an object such as { name, behavior }, not ${show(options)}`,
    ])
  }
  refuseNotYet(options, notYet)
  const { name, role, behavior } = options as { readonly [Name in keyof typeof known]?: unknown }
  const problems = [
    ...(name === undefined ? ['name must be given'] : problemsWithText('name', name)),
    ...problemsWithText('role', role),
    ...unknownSettings(options, known, 'an option'),
  ]
  if (typeof behavior !== 'function') {
    problems.push(
      `behavior must be a function that makes the behavior of the instance, such as ({ term }) => …, not ${show(behavior)}; where it shall not run, use proxy`,
    )
  }
  if (problems.length > 0) throw new InvalidSettings(`The singleton ${show(name)}`, problems)
}
