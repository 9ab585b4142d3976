/** Draws a view as the lines of a screen. Pure: the same view gives the same lines. */
import { type Span, type Tone, apart, bold, dim, lineOf, span, widthOf } from './spans.ts'
import type { Footer, Mood, NodeView, View } from './view.ts'
import { age, clock, counted, inWords, markOf, milliseconds } from './words.ts'

export interface Paper {
  readonly columns: number
  readonly rows: number
  readonly isColored: boolean
}

/** So many nodes have a row of their own. */
const nodeRowsMax = 9
const barWidth = 14
const tones: Readonly<Record<Mood, Tone>> = {
  plain: 'plain',
  good: 'green',
  warning: 'yellow',
  bad: 'red',
}

/** Exactly as many lines as there are rows, the keys in the last one. */
export function render(view: View, { columns, rows, isColored }: Paper): string[] {
  const top = [...heading(view, columns), [], ...nodeTable(view), [], ...figures(view, columns), []]
  const room = Math.max(0, rows - top.length - 1)
  const news = newsLines(view, room)
  const lines = [...top, ...news].slice(0, Math.max(0, rows - 1))
  while (lines.length < rows - 1) lines.push([])
  const last = footerLine(view.footer, columns)
  return [...lines, last].map((spans) => lineOf(spans, columns, isColored))
}

function heading(view: View, columns: number): Span[][] {
  const { accounts, elapsedMs } = view
  return [
    apart(
      [bold(' Sherd'), dim('  a bank on several processes and one store')],
      [dim(clock(elapsedMs) + ' ')],
      columns,
    ),
    [dim(` ${inWords(accounts)} accounts. Kill what you like: no coin is lost or doubled.`)],
  ]
}

const tableHead = [
  '   ',
  'node'.padEnd(9),
  'process'.padEnd(11),
  'member'.padEnd(13),
  'age'.padEnd(7),
  'shards'.padEnd(barWidth + 4),
  'entities'.padStart(9),
  'calls/s'.padStart(9),
].join('')

function nodeTable({ nodes, chosen }: View): Span[][] {
  const most = Math.max(1, ...nodes.map(({ shards }) => shards))
  const shown = nodes.slice(0, nodeRowsMax)
  const rest = nodes.length - shown.length
  return [
    [dim(tableHead)],
    ...shown.map((node) => nodeRow(node, node.name === chosen, most)),
    ...(rest > 0 ? [[dim(`   and ${rest} more`)]] : []),
    ...(nodes.length === 0 ? [[span('   No node is left. Press a to add one.', 'yellow')]] : []),
  ]
}

function nodeRow(node: NodeView, isChosen: boolean, most: number): Span[] {
  const [process, processTone] = processOf(node)
  const [member, memberTone] = memberOf(node)
  const bar = '█'.repeat(Math.round((node.shards / most) * barWidth))
  return [
    span(isChosen ? ' ▸ ' : '   ', 'cyan'),
    span(node.name.padEnd(9), isChosen ? 'bold' : 'plain'),
    span(process.padEnd(11), processTone),
    span(member.padEnd(13), memberTone),
    span(age(node.ageMs).padEnd(7)),
    span(String(node.shards).padStart(3)),
    span(` ${bar.padEnd(barWidth)}`, 'cyan'),
    span(inWords(node.entities).padStart(9)),
    span(inWords(node.callsPerSecond).padStart(9)),
  ]
}

function processOf({ process, pid }: NodeView): [string, Tone] {
  switch (process) {
    case 'running':
      return [String(pid), 'plain']
    case 'gone':
      return ['gone', 'red']
    case 'paused':
      return ['paused', 'yellow']
    case 'draining':
      return ['draining', 'yellow']
    default:
      return ['starting', 'dim']
  }
}

function memberOf({ member, isReachable, isFrozen, isOldest }: NodeView): [string, Tone] {
  if (member === undefined) return ['', 'dim']
  if (member === 'Down' || member === 'Removed') return [member, 'red']
  if (!isReachable) return ['unreachable', 'red']
  if (isFrozen) return ['frozen', 'yellow']
  if (member !== 'Up') return [member, 'yellow']
  return [isOldest ? 'Up, oldest' : 'Up', 'green']
}

function figures(view: View, columns: number): Span[][] {
  const { callsPerSecond, askedAgain, done, refused, underWay, moves, freezes, kills, joins } = view
  const { coins, check, elapsedMs, longestWaitMs } = view
  const checked = check === undefined ? '' : `checked ${age(elapsedMs - check.atMs)} ago`
  const label = (text: string): Span => dim(` ${text.padEnd(12)}`)
  const rate = [label('calls'), bold(`${inWords(callsPerSecond)} per second`.padEnd(19))]
  const room = Math.max(0, columns - widthOf(rate) - 3)
  return [
    [
      label('coins'),
      // They are known when they have been counted.
      span(
        (coins === 0 ? '' : `${inWords(coins)} ${markOf(check)}`).padEnd(19),
        check?.isRight === false ? 'red' : 'green',
      ),
      span(checked.padEnd(19)),
      span(`longest outage ${milliseconds(longestWaitMs)}`),
    ],
    [...rate, span(sparkline(view.history.slice(-room)), 'cyan')],
    [
      label('latency'),
      span(`p50 ${milliseconds(view.p50Ms)}`.padEnd(19)),
      span(`p99 ${milliseconds(view.p99Ms)}`.padEnd(19)),
      span(`asked again ${inWords(askedAgain)}`),
    ],
    [
      label('transfers'),
      span(`${inWords(done)} done`.padEnd(19)),
      span(`${inWords(refused)} refused`.padEnd(19)),
      span(`${inWords(underWay)} under way`),
    ],
    [
      label('shards'),
      span(counted(moves, 'move').padEnd(19)),
      span(counted(freezes, 'freeze').padEnd(19)),
      span(`${counted(kills, 'kill')}, ${counted(joins, 'join')}`),
    ],
  ]
}

const heights = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/**
 * Heights of these samples beside each other; nothing at all is the lowest. The scale follows what is usual, and a rare
 * spike is cut off at the top: after an outage all calls are made again at once, and would make everything else look flat.
 */
export function sparkline(samples: readonly number[]): string {
  const sorted = [...samples].sort((a, b) => a - b)
  const usual = sorted[Math.ceil((sorted.length - 1) * 0.9)] ?? 0
  const most = Math.max(1, Math.min(sorted.at(-1) ?? 0, usual * 1.25))
  return samples
    .map((sample) => heights[Math.min(7, Math.floor((sample / most) * 7.99))] ?? ' ')
    .join('')
}

function newsLines({ news }: View, room: number): Span[][] {
  if (room < 2) return []
  const shown = news.slice(-(room - 1))
  return [
    [dim(' what happened')],
    ...shown.map(({ atMs, text, mood }) => [dim(` ${clock(atMs)}  `), span(text, tones[mood])]),
  ]
}

/** Each key with what it does, in full and in short. */
const keys: readonly (readonly [key: string, full: string, short: string])[] = [
  ['↑↓', ' choose', ''],
  ['k', ' kill -9', ' kill'],
  ['d', ' drain', ' drain'],
  ['p', ' pause', ' pause'],
  ['s', ' start again', ' start'],
  ['a', ' add', ' add'],
  ['q', ' quit', ' quit'],
]

function footerLine(footer: Footer, columns: number): Span[] {
  if (footer.type !== 'keys') return [span(` ${footer.text}`, 'cyan')]
  const forms = [
    keys.flatMap(([key, full]) => [bold(` ${key}`), dim(`${full}  `)]),
    keys.flatMap(([key, , short]) => [bold(` ${key}`), dim(short)]),
    keys.map(([key]) => bold(` ${key}`)),
  ]
  // The longest in which no key is missing; the space at its end may be.
  return (
    forms.find((spans) => lineOf(spans, Infinity, false).trimEnd().length <= columns) ?? forms[2]!
  )
}
