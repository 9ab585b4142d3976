import { describe, expect, test } from 'vitest'
import { lineOfNews, lineOfView } from '../../../examples/demo/printout.ts'
import { render, sparkline } from '../../../examples/demo/render.ts'
import { endingOf, wrapped } from '../../../examples/demo/words.ts'
import type { NodeView, View } from '../../../examples/demo/view.ts'

const paper = { columns: 80, rows: 24, isColored: false }

const node = (name: string, changes: Partial<NodeView> = {}): NodeView => ({
  name,
  pid: 4_711,
  process: 'running',
  member: 'Up',
  isReachable: true,
  isFrozen: false,
  isOldest: false,
  ageMs: 12_400,
  shards: 10,
  entities: 40,
  callsPerSecond: 410,
  ...changes,
})

const nothing = { shards: 0, entities: 0, callsPerSecond: 0 }

const view: View = {
  elapsedMs: 14_200,
  accounts: 120,
  coins: 120_000,
  check: { atMs: 12_100, isRight: true },
  nodes: [
    node('node 1', { isOldest: true, shards: 15 }),
    node('node 2', { process: 'gone', isReachable: false, ...nothing }),
    node('node 3'),
    node('node 4', { process: 'starting', member: undefined, ageMs: undefined, ...nothing }),
  ],
  chosen: 'node 2',
  callsPerSecond: 1_234,
  history: [0, 500, 1_000, 1_234, 700],
  p50Ms: 2.14,
  p99Ms: 18.6,
  askedAgain: 7,
  longestWaitMs: 3_120,
  done: 6_042,
  refused: 31,
  underWay: 24,
  moves: 5,
  freezes: 0,
  kills: 1,
  joins: 0,
  news: [
    { atMs: 2_100, text: 'node 1 is Up', mood: 'good' },
    { atMs: 11_900, text: 'kill -9 node 2', mood: 'bad' },
  ],
  footer: { type: 'keys' },
}

describe('the screen of the demo', () => {
  test('says everything in 24 lines of 80 columns', () => {
    const lines = render(view, paper)
    expect(lines).toHaveLength(24)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(lines.map((line) => line.trimEnd())).toEqual([
      ' Sherd  a bank on several processes and one store                         00:14',
      ' 120 accounts. Kill what you like: no coin is lost or doubled.',
      '',
      '   node     process    member       age    shards             entities  calls/s',
      '   node 1   4711       Up, oldest   12 s    15 ██████████████       40      410',
      ' ▸ node 2   gone       unreachable  12 s     0                       0        0',
      '   node 3   4711       Up           12 s    10 █████████            40      410',
      '   node 4   starting                         0                       0        0',
      '',
      ' coins       120,000 ✓          checked 2 s ago    longest outage 3.1 s',
      ' calls       1,234 per second   ▁▄▇█▅',
      ' latency     p50 2.1 ms         p99 19 ms          asked again 7',
      ' transfers   6,042 done         31 refused         24 under way',
      ' shards      5 moves            0 freezes          1 kill, 0 joins',
      '',
      ' what happened',
      ' 00:02  node 1 is Up',
      ' 00:11  kill -9 node 2',
      ...Array<string>(5).fill(''),
      ' ↑↓ choose   k kill -9   d drain   p pause   s start again   a add   q quit',
    ])
  })

  test('shows the newest news where there is not room for all', () => {
    const news = Array.from({ length: 50 }, (_, index) => ({
      atMs: 0,
      text: `news ${index}.`,
      mood: 'plain' as const,
    }))
    const text = render({ ...view, news }, paper).join('\n')
    expect(text).toContain('news 49.')
    expect(text).not.toContain('news 1.')
  })

  test('keeps the keys in the last line, also of a small window', () => {
    for (const [columns, rows, keys] of [
      [200, 60, ' ↑↓ choose   k kill -9   d drain   p pause   s start again   a add   q quit'],
      [75, 10, ' ↑↓ choose   k kill -9   d drain   p pause   s start again   a add   q quit'],
      [74, 10, ' ↑↓ k kill d drain p pause s start a add q quit'],
      [47, 10, ' ↑↓ k kill d drain p pause s start a add q quit'],
      [30, 10, ' ↑↓ k d p s a q'],
      [10, 1, ' ↑↓ k d p'],
    ] as const) {
      const lines = render(view, { columns, rows, isColored: false })
      expect(lines).toHaveLength(rows)
      expect(lines.at(-1)?.trimEnd()).toBe(keys)
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns)
    }
  })

  test('has the same text with colours as without', () => {
    const colored = render(view, { ...paper, isColored: true })
    expect(colored.join('')).toContain('\u001b[32mUp')
    // oxlint-disable-next-line no-control-regex -- colours are made of them
    const plain = colored.map((line) => line.replaceAll(/\u001b\[\d+m/g, ''))
    expect(plain).toEqual(render(view, paper))
  })

  test('says what to do when no node is left, and how many have no row', () => {
    expect(render({ ...view, nodes: [] }, paper).join('\n')).toContain('Press a to add one')
    const nodes = Array.from({ length: 12 }, (_, index) => node(`node ${index}`))
    expect(render({ ...view, nodes }, paper).join('\n')).toContain('and 3 more')
  })

  test.each([
    [{ isFrozen: true }, 'frozen'],
    [{ isReachable: false }, 'unreachable'],
    [{ member: 'Down', isReachable: false }, 'Down'],
    [{ member: 'Leaving', process: 'draining' }, 'draining   Leaving'],
    [{ process: 'paused' }, 'paused'],
  ] as const)('shows a node that is %o as %s', (changes, words) => {
    const nodes = [node('node 1', changes)]
    expect(render({ ...view, nodes }, paper).join('\n')).toContain(words)
  })
})

test('a line of bars is not flattened by one spike', () => {
  const usual = Array.from({ length: 20 }, (_, at) => 80 + (at % 3) * 10)
  const line = sparkline([...usual, 5_000, 90])
  expect(line.at(-2)).toBe('█')
  expect(new Set(line.slice(0, 20)).size).toBeGreaterThan(1)
  expect(line.slice(0, 20)).not.toContain('▁')
})

test('a line of bars has the height of its samples', () => {
  expect(sparkline([0, 50, 100])).toBe('▁▄█')
  expect(sparkline([0, 0])).toBe('▁▁')
  expect(sparkline([])).toBe('')
})

test.each([
  [{ reason: 'downing', hasSlept: true }, 'slept too long: the others went on without it'],
  [{ reason: 'downing' }, 'ended itself: the others went on without it'],
  [{ code: null, wasPaused: true }, 'was ended while paused: it held the lock of the store'],
  [{ code: null }, 'was ended by a signal'],
  [{ code: 1 }, 'ended itself: code 1'],
])('a node that nobody wanted to end says why: %o', (ending, words) => {
  const usual = { reason: undefined, code: 0, wasPaused: false, hasSlept: false }
  expect(endingOf({ ...usual, ...ending })).toBe(words)
})

test('what is too long for a line goes on in the next', () => {
  expect(wrapped('  a line that is too long for it', 16)).toEqual([
    '  a line that is',
    '    too long for',
    '      it',
  ])
  expect(wrapped('x'.repeat(9), 6)).toEqual(['xxxxxx', '  xxx'])
})

describe('the lines that are printed where there is no terminal', () => {
  test('have the same figures', () => {
    expect(lineOfView(view)).toBe(
      '  14 s  1,234 calls/s  p50 2.1 ms  p99 19 ms    moved 5   120,000 coins ✓  ' +
        'node 1 Up 15, node 2 unreachable 0, node 3 Up 10, node 4 starting 0',
    )
  })

  test('mark what the accounts held when they were looked at last', () => {
    const wrong = { ...view, check: { atMs: 0, isRight: false } }
    expect(lineOfView(wrong)).toContain('120,000 coins ✗')
    expect(lineOfView({ ...view, check: undefined })).toContain('120,000 coins …')
  })

  test('tell the news', () => {
    expect(lineOfNews(view.news[1]!)).toBe('  11 s  * kill -9 node 2')
  })
})
