/** What the logs of nodes say about those who were kept out, and what they must not say. */
import { expect } from 'vitest'
import type { HandshakeError } from '../../src/remote/index.ts'
import type { TestNode } from './nodes.ts'

/** In a cluster that has one. */
export const secret = 'correct horse battery staple'

/** The reasons it was told of, as the log has them. */
export function warnings(node: TestNode): string[] {
  return node.logs.lines
    .filter(({ level }) => level === 'warn')
    .map(({ fields }) => (fields['err'] as HandshakeError | undefined)?.code ?? 'another line')
}

/** Nothing that must not be known stands in the log: neither a key nor a secret, nor what was shown. */
export function expectNoSecrets(...all: readonly TestNode[]): void {
  const said = all.flatMap(({ logs }) => logs.lines).map((line) => JSON.stringify(line))
  expect(said.join()).not.toContain(secret)
  expect(said.join()).not.toMatch(/BEGIN|PRIVATE|CERTIFICATE-----/)
}
