/**
 * One of the links to a peer, by what goes over it: what is urgent or small never waits behind what is not. Only the large
 * one may carry frames above the limit of the data lane.
 */
export type Lane = 'control' | 'data' | 'large'
