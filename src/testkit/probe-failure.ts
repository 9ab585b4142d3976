/** What the kit throws when something did not come; the stack is that of the test, which awaits it somewhere else. */
import { CodedError } from '../foundation/coded-error.ts'

/** The line of the test that asked, kept until it is known whether the answer is a failure. */
export interface TestLine {
  readonly stack?: string
}

/** Something was expected and did not come, or came and was not expected. The text says what came instead. */
export class ProbeFailure extends CodedError {
  readonly code = 'PROBE_FAILURE'

  constructor(message: string, site: Pick<Error, 'stack'>) {
    super(message)
    pointAt(this, site)
  }
}

/** Gives the error the stack of the test that asked. */
export function pointAt(error: Error, site: TestLine): void {
  const frames = framesOf(site)
  if (frames !== '') error.stack = `${error.name}: ${error.message}\n${frames}`
}

/** Where the function `called` was called from. To be asked for before the first `await`. */
export function callSite(called: Function): TestLine {
  const site: TestLine = {}
  Error.captureStackTrace(site, called)
  return site
}

function framesOf({ stack = '' }: TestLine): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
}
