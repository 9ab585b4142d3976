/** Nothing outside an adapter touches the world: `world-access`. */
import { builtinModules } from 'node:module'
import { adapters, mayHoldAdapter, purePackages } from './house.ts'
import { importsOf, targetOf, type Import } from './imports.ts'
import type { SourceFile } from './source-file.ts'
import type { Violation } from './violation.ts'

/** Names that reach the world, and the port to ask instead. */
const ports: ReadonlyMap<string, string> = new Map([
  ...each('Date performance', 'ask environment.clock'),
  ...each('setTimeout setInterval clearTimeout clearInterval', 'ask environment.timers'),
  ...each('setImmediate clearImmediate queueMicrotask', 'ask environment.dispatcher'),
  ...each('crypto randomUUID', 'ask environment.random'),
  ...each('process', 'ask environment.process'),
  ...each('console', 'ask environment.logger'),
  ...each('fetch WebSocket EventSource Worker MessageChannel BroadcastChannel', 'make it a port'),
  ...each('globalThis global', 'name what you need, as a port'),
  ...each('WeakRef FinalizationRegistry', 'end lives yourself; the collector differs in every run'),
])

/** Members of otherwise harmless globals. */
const members: ReadonlyMap<string, string> = new Map([
  ['Math.random', 'ask environment.random'],
  ['AbortSignal.timeout', 'ask environment.timers and abort a controller'],
  ['Atomics.wait', 'no other turn could come meanwhile'],
  ['Atomics.waitAsync', 'ask environment.timers'],
  ['import.meta', 'where a program lies differs from machine to machine'],
  ['import(…)', 'write the name of the module in quotes'],
])

/** Node modules that compute and do nothing else. */
const pureModules: ReadonlySet<string> = new Set(
  'assert assert/strict buffer events path string_decoder url util util/types'.split(' '),
)

/** What may be taken from modules that can do both. */
const pureNames: ReadonlyMap<string, RegExp> = new Map([
  ['crypto', /^(createHash|createHmac|timingSafeEqual|hkdfSync|X509Certificate)$/],
  ['zlib', /^(\w+Sync|constants)$/],
])

export function worldAccess(file: SourceFile): Violation[] {
  if (!file.isSource || file.isTest || adapters.has(file.path)) return []
  const violations = new Map<number, Violation>()
  const report = (line: number, name: string, port: string): void => {
    const advice = `${name} belongs in adapter files; ${port}`
    if (!violations.has(line)) {
      violations.set(line, { path: file.path, line, rule: 'world-access', advice })
    }
  }

  for (const imported of importsOf(file)) {
    if (imported.isTypeOnly) continue
    const target = targetOf(file, imported) ?? ''
    const isAdapter = adapters.has(target) && !mayHoldAdapter(file.path, target)
    if (!isPure(imported)) report(imported.line, `'${imported.specifier}'`, 'make it a port')
    else if (isAdapter) report(imported.line, `'${imported.specifier}'`, 'ask the environment')
  }
  for (const index of file.tokens.keys()) {
    if (!file.isWord(index) || file.isMember(index) || isOwnName(file, index)) continue
    // Asking whether a user's value is a Date reads no clock.
    if (file.at(index - 1) === 'instanceof') continue
    const name = nameAt(file, index)
    const port = ports.get(name) ?? members.get(name)
    if (port) report(file.line(index), name, port)
  }
  return [...violations.values()]
}

function each(names: string, port: string): [string, string][] {
  return names.split(' ').map((name) => [name, port])
}

/** `Math.random` for the word `Math`, also when the member is taken in a roundabout way. */
function nameAt(file: SourceFile, index: number): string {
  const name = file.at(index)
  const isIndexed = file.at(index + 1) === '[' && file.tokens[index + 2]?.kind === 'string'
  const key = isIndexed ? file.at(index + 2).slice(1, -1) : file.at(index + 2)
  const isMember = isIndexed || file.isMember(index + 2)
  if (isMember && members.has(`${name}.${key}`)) return `${name}.${key}`
  // Taken whole, it may be taken apart elsewhere.
  if (name === 'Math' && !file.isMember(index + 2)) return 'Math.random'
  if (name === 'AbortSignal' && isTaken(file, index) && !isMember) return 'AbortSignal.timeout'
  // Nobody could tell which module that is.
  const isHidden = name === 'import' && file.tokens[index + 2]?.kind !== 'string'
  return isHidden && file.at(index + 1) === '(' ? 'import(…)' : name
}

/** Given a name or taken apart, as `const { timeout } = AbortSignal`; a type may be named after it. */
function isTaken(file: SourceFile, index: number): boolean {
  const isNamed = ['const', 'let', 'var'].includes(file.at(index - 3))
  return file.at(index - 1) === '=' && (isNamed || file.at(index - 2) === '}')
}

function isPure({ specifier, names }: Import): boolean {
  const module = specifier.replace(/^node:/, '')
  if (!specifier.startsWith('node:') && !builtinModules.includes(module)) {
    return /^\.|^sherd(\/|$)/.test(specifier) || purePackages.has(specifier)
  }
  const allowed = pureNames.get(module)
  if (allowed) return names.length > 0 && names.every((name) => allowed.test(name))
  return pureModules.has(module)
}

/** True where the word is a name of our own: a property `process: …`, a field or a method `fetch(…) {`. */
function isOwnName(file: SourceFile, index: number): boolean {
  const before = file.at(index - 1)
  const isDeclared = ['readonly', 'async', 'get', 'set', 'static', 'override'].includes(before)
  const startsMember =
    ['{', '}', ',', ';', '('].includes(before) || file.line(index - 1) < file.line(index)
  if ((!startsMember && !isDeclared) || before === '?' || before === 'case') return false

  let next = index + 1
  if (file.at(next) === '?') next++
  if (file.at(next) === '(') next = file.partner(next) + 1
  if (file.at(next) === ':' || (isDeclared && file.at(next) === '=')) return true
  // A body begins on the line of its parameters; what stands alone below a call is a block.
  const isBody = file.at(next) === '{' && file.line(next) === file.line(next - 1)
  return next > index + 1 && isBody
}
