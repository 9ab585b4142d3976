/** All checkers of membership itself, fed by what a node holds and hears. */
import type { ClusterEvent } from '../../cluster/index.ts'
import type { SherdNode } from '../../node/index.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import { PeerConnected, PeerQuarantined } from '../../remote/index.ts'
import type { Findings, WatchedLife } from './findings.ts'
import { FormerLivesAreSilent } from './former-lives-are-silent.ts'
import { HeldViews } from './held-views.ts'
import { LeadersWait } from './leaders-wait.ts'
import { MembersMoveForward } from './members-move-forward.ts'
import { RemovedStayRemoved } from './removed-stay-removed.ts'
import { SeenMeansSeen } from './seen-means-seen.ts'
import { SoundViews } from './sound-views.ts'
import { ThawedAreMembers } from './thawed-are-members.ts'
import { ViewsConverge } from './views-converge.ts'

export class MembershipChecks {
  readonly #views = new HeldViews()
  readonly #former: FormerLivesAreSilent
  readonly #thawed: ThawedAreMembers
  readonly #converge = new ViewsConverge(this.#views)
  readonly #onView: readonly Pick<SoundViews, 'viewed'>[]
  readonly #inside = new Map<NodeId, WatchedLife>()

  constructor(findings: Findings, excuseForTwo?: () => string | undefined) {
    const views = this.#views
    this.#former = new FormerLivesAreSilent(findings, views)
    this.#thawed = new ThawedAreMembers(findings, views, excuseForTwo)
    this.#onView = [
      new SoundViews(findings, views),
      new SeenMeansSeen(findings, views),
      new MembersMoveForward(findings, views),
      new RemovedStayRemoved(findings, views),
      new LeadersWait(findings, views),
    ]
  }

  attach({ id, system: { eventStream }, cluster }: SherdNode, life: WatchedLife): void {
    this.#views.begins(id, life.label)
    this.#thawed.begins(id, life, cluster.isFrozen)
    cluster.witnessMembership({
      viewed: (view) => {
        this.#inside.set(id, life)
        const before = this.#views.take(id, view)
        for (const checker of this.#onView) checker.viewed(id, before, view)
      },
      heard: (from) => this.#former.heard(id, from),
    })
    eventStream.subscribe(PeerConnected, ({ node }) => this.#former.met(id, node))
    eventStream.subscribe(PeerQuarantined, ({ node }) => this.#former.quarantined(id, node))
    cluster.subscribe((event) => this.#changed(id, event))
  }

  /** What keeps those who are in a cluster from having one view of it; undefined when they have. */
  get disagreement(): string | undefined {
    const alive = [...this.#inside].filter(([, life]) => life.isAlive)
    return this.#converge.disagreementOf(alive.map(([node]) => node))
  }

  #changed(node: NodeId, { type }: ClusterEvent): void {
    if (type === 'Frozen') this.#thawed.frozen(node)
    else if (type === 'Thawed') this.#thawed.thawed(node)
    else if (type === 'ClusterShuttingDown') {
      this.#thawed.left(node)
      this.#inside.delete(node)
    }
  }
}
