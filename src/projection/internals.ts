/** For the node: projections in a cluster, and reading. The package does not export it. */
export { ClusterProjections, rangesTypeOf } from './cluster-projections.ts'
export { isProjection } from './define-projection.ts'
export type { ProjectionGround } from './projection-ground.ts'
export { StoredReading } from './stored-reading.ts'
