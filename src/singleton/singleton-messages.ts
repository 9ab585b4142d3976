/** What nodes say to each other about one singleton. All of it travels on the control lane, and says who says it. */
import type { ActorRef } from '../actor/index.ts'
import type { NodeId } from '../foundation/node-id.ts'

/** The oldest member -> each older one that is on its way out: I am to run it; does it still run on you? */
export interface HandOverToMe {
  readonly type: 'HandOverToMe'
  readonly from: NodeId
  /** Of the life that the sender wants to begin. */
  readonly term: number
}

/** Leaving member -> the one that asked: it may still run here; wait. */
export interface HandOverInProgress {
  readonly type: 'HandOverInProgress'
  readonly from: NodeId
  /** Of the last life on the sender; 0 when there was none. */
  readonly term: number
}

/** Leaving member -> the one that asked, and the one that comes next: it has ended here, and never runs here again. */
export interface HandOverDone {
  readonly type: 'HandOverDone'
  readonly from: NodeId
  /** Of the last life on the sender; 0 when there was none. */
  readonly term: number
}

/** Proxy -> the oldest member: tell me where it runs, now or as soon as it runs on you. */
export interface WhereIsInstance {
  readonly type: 'WhereIsInstance'
  readonly from: NodeId
  /** Of the last life the proxy has heard of; 0 when of none. */
  readonly term: number
}

/** Host -> proxies that asked: it runs here. */
export interface InstanceIsHere {
  readonly type: 'InstanceIsHere'
  readonly from: NodeId
  readonly term: number
  readonly instance: ActorRef<unknown>
}

/** Host -> proxies that asked: this life takes no more messages; keep them for the next. */
export interface InstanceStops {
  readonly type: 'InstanceStops'
  readonly from: NodeId
  readonly term: number
}

export type HandOverMessage = HandOverToMe | HandOverInProgress | HandOverDone
export type ToHost = HandOverMessage | WhereIsInstance
export type ToProxy = InstanceIsHere | InstanceStops
export type SingletonMessage = ToHost | ToProxy
