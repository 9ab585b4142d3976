/**
 * Reads a dialogue, lets it happen, and writes it down as it went: equal to what was read if all is well.
 *
 *   # A sentence of what it shows.
 *   cluster: a b c               the cast: members of a cluster; or `sharding:`, regions that know their coordinator
 *   with: minMembers=2           settings, where they are not the usual ones
 *   without: Heartbeat Register  words that are left out from here on
 *   before: a sends hi           what happens too, and is no part of the story
 *
 *   b leaves                     what happens now; the stages list what can
 *     b -> a  GossipNews         what follows, up to the next line of this kind: who says what to whom,
 *     a       MemberLeft b       or does what
 *   at 3 s: b crashes            what happens then, counted from the beginning
 *   at 9 s                       nothing happens, but so much time has passed
 *
 * Only lines that are indented are compared. Letters arrive at once and in the order in which they were sent, timers when
 * their time has come; nothing is left to chance.
 */
import { type Letter, nameOf } from '../machines/network.ts'
import { ClusterStage } from './cluster-stage.ts'
import { ShardingStage } from './sharding-stage.ts'
import type { Settings, Stage } from './stage.ts'

interface Line {
  readonly who: string
  readonly what: string
}

export function perform(script: string): string {
  const lines = script.split('\n').filter((line) => !line.startsWith('  '))
  return new Performance(lines).toString()
}

class Performance {
  readonly #stage: Stage
  readonly #start: number
  readonly #out: (string | Line)[] = []
  #without: readonly string[] = []
  /** Where what is said now belongs. */
  #said = 0
  #happening = ''

  constructor(lines: readonly string[]) {
    const chosen: Settings = Object.fromEntries(headerOf(lines, 'with').map(settingOf))
    const isCluster = lines.some((line) => line.startsWith('cluster:'))
    this.#stage = isCluster
      ? new ClusterStage(headerOf(lines, 'cluster'), chosen)
      : new ShardingStage(headerOf(lines, 'sharding'), chosen)
    this.#stage.network.log.length = 0
    this.#start = this.#stage.network.now
    for (const line of lines) this.#read(line)
    this.#listen(0)
  }

  toString(): string {
    const whos = this.#out.map((line) => (typeof line === 'string' ? 0 : line.who.length))
    const width = Math.max(...whos) + 2
    return this.#out
      .map((line) =>
        typeof line === 'string' ? line : `  ${line.who.padEnd(width)}${line.what}`.trimEnd(),
      )
      .join('\n')
  }

  #read(line: string): void {
    const { network } = this.#stage
    const [, header, rest = ''] = /^(\w+):(.*)$/.exec(line) ?? []
    const [, seconds, words = ''] = /^(?:at ([\d.]+) s)?(?:: )?(.*)$/.exec(line) ?? []
    if (line === '' || line.startsWith('#') || header !== undefined) {
      this.#out.push(line)
      if (header === 'without') this.#without = wordsOf(rest)
      if (header === 'before') this.#prepare(rest.trim())
      return
    }
    const ms = this.#start + Number(seconds) * 1_000 - network.now
    this.#listen(seconds === undefined ? 0 : ms - 1)
    this.#said = this.#out.push(line)
    // What is due at that time already follows.
    if (seconds !== undefined) network.run(1)
    this.#happening = words
    if (words !== '') this.#act(words)
  }

  #prepare(words: string): void {
    this.#act(words)
    this.#stage.network.run(0)
    this.#stage.network.log.length = 0
  }

  #act(words: string): void {
    for (const [pattern, act] of this.#stage.acts) {
      const match = pattern.exec(words)
      if (match !== null) return act(...match.slice(1))
    }
    throw new Error(`nobody can act out "${words}"`)
  }

  /** Lets time pass, and writes down what was said since the last time. */
  #listen(ms: number): void {
    this.#stage.network.run(ms)
    const said = this.#stage.network.log
      .splice(0)
      .filter((entry) => entry !== this.#happening)
      .map((entry) => this.#lineOf(entry))
      .filter(({ what }) => !this.#without.includes(what.split(' ')[0]!))
    this.#out.splice(this.#said || this.#out.length, 0, ...said)
  }

  #lineOf(entry: string | Letter): Line {
    if (typeof entry === 'string') {
      const [who = '', ...what] = entry.split(' ')
      return { who, what: what.join(' ') }
    }
    const message = entry.message ?? { type: '' }
    const who = `${nameOf(entry.from)} -> ${nameOf(entry.to)}`
    return { who, what: `${message.type} ${this.#stage.inWords(message)}` }
  }
}

function headerOf(lines: readonly string[], name: string): string[] {
  return wordsOf(lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1) ?? '')
}

function wordsOf(text: string): string[] {
  return text.split(' ').filter((word) => word !== '')
}

function settingOf(text: string): [name: string, value: number] {
  const [name = '', value] = text.split('=')
  return [name, Number(value)]
}
