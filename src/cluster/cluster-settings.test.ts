import { describe, expect, test } from 'vitest'
import {
  type ClusterSettings,
  agreementOf,
  clusterSettingsTable,
  defaultClusterSettings,
  disagreements,
} from './cluster-settings.ts'

const problems = (changes: Partial<ClusterSettings>) =>
  clusterSettingsTable.problemsWith({ ...defaultClusterSettings, ...changes })

describe('cluster settings', () => {
  test('are well by default', () => {
    expect(problems({})).toEqual([])
  })

  test('can be given in part, those for downing as well', () => {
    const chosen = clusterSettingsTable.complete({
      minMembers: 3,
      downing: { stableAfterMs: 3_000 },
    })
    expect(clusterSettingsTable.problemsWith(chosen)).toEqual([])
    expect(chosen).toEqual({
      ...defaultClusterSettings,
      minMembers: 3,
      downing: { ...defaultClusterSettings.downing, stableAfterMs: 3_000 },
    })
  })

  test('refuse names that are none', () => {
    const wrong = { gossipMs: 5, downing: { stableAfter: 3_000 } }
    const found = clusterSettingsTable.problemsWith(clusterSettingsTable.complete(wrong))
    expect(found).toEqual([
      expect.stringContaining('gossipMs is not a setting; known: tickIntervalMs, '),
      expect.stringContaining(
        '`downing.stableAfter` is not a setting; did you mean `downing.stableAfterMs`?',
      ),
    ])
  })

  test('name every problem at once', () => {
    const { downing } = defaultClusterSettings
    expect(
      problems({
        minMembers: 0,
        gossipIntervalMs: NaN,
        gossipDifferentViewProbability: 2,
        downing: { ...downing, ...{ indirectlyConnectedShareMax: 0, role: '' } },
      }),
    ).toEqual([
      'gossipIntervalMs must be a positive number of milliseconds, not NaN',
      'gossipDifferentViewProbability must be a number from 0 to 1, not 2',
      'minMembers must be a whole number of at least 1, not 0',
      "downing.role must be a role, or undefined, not ''",
      'downing.indirectlyConnectedShareMax must be above 0 and at most 1, not 0',
    ])
  })

  test('refuse a strategy that is none, and name those there are', () => {
    const problemsOf = (downing: object) =>
      clusterSettingsTable.problemsWith(clusterSettingsTable.complete({ downing }))
    expect(problemsOf({ strategy: 'auto-down', quorum: 2 })).toEqual([
      expect.stringContaining('downing.quorum is not a setting'),
      "downing.strategy must be one of store-majority, keep-majority, static-quorum, keep-oldest, down-all, lease-majority, not 'auto-down'",
    ])
  })

  test('of downing belong to one strategy, and have its defaults', () => {
    const whole = (downing: object) => clusterSettingsTable.complete({ downing })
    const problemsOf = (downing: object) => clusterSettingsTable.problemsWith(whole(downing))
    expect(whole({ strategy: 'keep-oldest' }).downing).toEqual({
      strategy: 'keep-oldest',
      downIfAlone: true,
      role: undefined,
      stableAfterMs: 'by-size',
      downAllWhenUnstableMs: 'by-size',
      indirectlyConnectedShareMax: 0.5,
    })
    expect(problemsOf({ strategy: 'static-quorum', quorumSize: 3, role: 'web' })).toEqual([])
    expect(problemsOf({ strategy: 'static-quorum' })).toEqual([
      'downing.quorumSize must be a whole number of at least 1, not undefined',
    ])
    expect(problemsOf({ strategy: 'down-all', downIfAlone: true, role: 'web' })).toEqual([
      expect.stringContaining('downing.downIfAlone is not a setting'),
      expect.stringContaining('downing.role is not a setting'),
    ])
    expect(
      problemsOf({
        strategy: 'lease-majority',
        acquireLeaseDelayForMinorityMs: 1_000,
        lease: 'etcd',
        leaseName: '',
      }),
    ).toEqual([
      "downing.lease must be a function, not 'etcd'",
      expect.stringContaining('downing.acquireLeaseDelayForMinorityMs (1000) must be at least'),
    ])
  })

  test('check how timeouts stand to each other', () => {
    const { downing } = defaultClusterSettings
    expect(problems({ downing: { ...downing, stableAfterMs: 1_500 } })).toEqual([
      expect.stringContaining(
        'downing.stableAfterMs (1500) must be at least the spread of detection (2023)',
      ),
    ])
    expect(problems({ phiDeviationMaxMs: 400 })).toEqual([
      expect.stringContaining('downing.stableAfterMs (2500) must be at least'),
    ])
    expect(problems({ acceptableHeartbeatPauseMs: 500 })).toHaveLength(1)
    expect(problems({ tickIntervalMs: 600 })).toEqual([
      expect.stringContaining('tickIntervalMs (600)'),
    ])
    expect(problems({ joinDeadlineMs: 1_000 })).toHaveLength(1)
  })

  test('say which of them differ between nodes', () => {
    const ours = agreementOf(defaultClusterSettings)
    expect(disagreements(ours, ours)).toEqual([])
    const theirs = { ...ours, 'downing.role': 'web', 'downing.strategy': 'keep-oldest', extra: '1' }
    expect(disagreements(ours, theirs)).toEqual([
      'downing.role is web here and (any) in the cluster',
      'downing.strategy is keep-oldest here and store-majority in the cluster',
      'extra is 1 here and not set in the cluster',
    ])
  })

  test('may differ between data centers where each counts its own members', () => {
    const quorum = (quorumSize: number, role: string, dataCenter: string) =>
      agreementOf({
        ...defaultClusterSettings,
        dataCenter,
        crossDataCenterConnections: quorumSize,
        downing: { ...defaultClusterSettings.downing, strategy: 'static-quorum', quorumSize, role },
      })
    const ours = quorum(3, 'web', 'one')
    expect(disagreements(ours, quorum(2, 'db', 'two'))).toEqual([])
    expect(disagreements(ours, quorum(2, 'db', 'one'))).toEqual([
      'downing.quorumSize is 2 here and 3 in the cluster',
      'downing.role is db here and web in the cluster',
    ])
  })
})
