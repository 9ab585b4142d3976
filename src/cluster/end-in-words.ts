/** What an operator is told when the cluster has ended for a node: somebody has to start its process again. */

interface End {
  /** The process ends with the node. */
  readonly exitProcess: boolean
}

export function removedInWords(members: number, unreachable: number, { exitProcess }: End): string {
  return `This node was removed from the cluster: the others have given it up, or it could not reach the majority of them (${unreachable} of ${members} members were unreachable from here). It stops now, and only a new one can join. ${whatIsNext(exitProcess)}.`
}

export function succeededInWords(founder: string, { exitProcess }: End): string {
  return `The cluster of this node is over: by the record in the store it was founded anew by ${founder}, while this node was not heard of. It stops now, and only a new one can join. ${whatIsNext(exitProcess)}.`
}

function whatIsNext(exitProcess: boolean): string {
  return exitProcess
    ? 'This process exits'
    : 'This process goes on without it: start it again, or let the setting `actor.exitProcess` end it'
}
