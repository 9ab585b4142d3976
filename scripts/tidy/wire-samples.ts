/** Every message that travels is kept as bytes, so that a change of the wire shows in the diff: `wire-sample`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bareMessages } from './house.ts'
import type { SourceFile } from './source-file.ts'
import type { Violation } from './violation.ts'

const folder = 'test/wire'
/** A sample is a line that begins with `room.Type`, or a file whose comment does. */
const sampleName = /^(?:# )?([a-z-]+\.[A-Z]\w*)/gm

/** The names of all samples below `root`. */
export function samplesBelow(root: string): ReadonlySet<string> {
  if (!existsSync(join(root, folder))) return new Set()
  const texts = readdirSync(join(root, folder))
    .filter((name) => /\.(hex|txt)$/.test(name))
    .map((name) => readFileSync(join(root, folder, name), 'utf8'))
  return new Set(
    texts.flatMap((text) => [...text.matchAll(sampleName)].map(([, name]) => `${name}`)),
  )
}

/** Messages are what a file named `-messages` gives a `type`, or a `version` as its first field. */
export function wireSamples(file: SourceFile, samples: ReadonlySet<string>): Violation[] {
  if (!file.isSource || !file.path.endsWith('-messages.ts')) return []
  const violations: Violation[] = []
  for (const [index, { line }] of file.tokens.entries()) {
    const type = messageAt(file, index)
    const name = `${file.room}.${type}`
    if (type === undefined || samples.has(name) || bareMessages.has(name)) continue
    const advice = `keep the bytes of one ${name} in ${folder}; its tests print them`
    violations.push({ path: file.path, line, rule: 'wire-sample', advice })
  }
  return violations
}

function messageAt(file: SourceFile, index: number): string | undefined {
  const before = (count: number): string =>
    Array.from({ length: count }, (_, back) => file.at(index - count + back)).join(' ')
  const text = file.at(index)
  if (file.tokens[index]?.kind === 'string') {
    return before(3) === 'readonly type :' ? text.slice(1, -1) : undefined
  }
  const isVersioned = text === 'version' && before(2) === '{ readonly'
  return isVersioned && file.at(index - 4) === 'interface' ? file.at(index - 3) : undefined
}
