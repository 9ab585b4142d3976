/** Before the first test that starts a program, and again whenever a watched file changed: compiles all programs once. */
import type { TestProject } from 'vitest/node'
import { compileForTests } from './processes/harness/compiled.ts'

export function setup(project: TestProject): void {
  compileForTests()
  project.onTestsRerun(async () => compileForTests())
}
