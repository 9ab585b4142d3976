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

/** Messages are what a file named `-messages` gives a `type`. */
export function wireSamples(file: SourceFile, samples: ReadonlySet<string>): Violation[] {
  if (!file.isSource || !file.path.endsWith('-messages.ts')) return []
  const violations: Violation[] = []
  for (const [index, { kind, text, line }] of file.tokens.entries()) {
    const before = [3, 2, 1].map((back) => file.at(index - back)).join(' ')
    const isType = kind === 'string' && before === 'readonly type :'
    const name = `${file.room}.${text.slice(1, -1)}`
    if (!isType || samples.has(name) || bareMessages.has(name)) continue
    const advice = `keep the bytes of one ${name} in ${folder}; its tests print them`
    violations.push({ path: file.path, line, rule: 'wire-sample', advice })
  }
  return violations
}
