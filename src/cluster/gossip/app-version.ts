/**
 * The version of the application that a member runs, as its operators write it: `1.2.3`, `2.0`, `2.0.0-rc.1`,
 * `2026.11.16+4f2a`. Nothing is decided by it: it is there to be seen while one version replaces another.
 */
import { show } from '../../foundation/show.ts'

/** Of a node that was told none. */
export const defaultAppVersion = '0.0.0'

const lengthMax = 100
const versionForm =
  /^\d+(?:\.\d+){0,3}(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/

export function isAppVersion(value: unknown): value is string {
  return typeof value === 'string' && value.length <= lengthMax && versionForm.test(value)
}

/** Empty when all is well. */
export function problemsWithAppVersion(version: unknown): string[] {
  if (version === undefined || isAppVersion(version)) return []
  return [
    `appVersion must be one to four numbers with dots between them, such as '1.2.3' or '1.2.3-rc.1', of at most ${lengthMax} characters, not ${show(version)}`,
  ]
}
