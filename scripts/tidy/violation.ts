/** One thing to put right: where it is, which rule it breaks, and what to do instead. */
export interface Violation {
  readonly path: string
  readonly line: number
  readonly rule: string
  readonly advice: string
}

export function inWords({ path, line, rule, advice }: Violation): string {
  return `${path}:${line} ${rule}: ${advice}`
}
