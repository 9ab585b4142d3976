/** The kinds of node that a process can be: name to what starts one. Only the chosen one is loaded. */
export const kinds: ReadonlyMap<string, (options: never) => Promise<object>> = new Map<
  string,
  (options: never) => Promise<object>
>([
  ['remoting', async (options) => (await import('./remoting-node.ts')).RemotingNode.start(options)],
  ['entity', async (options) => (await import('./entity-node.ts')).EntityNode.start(options)],
  ['beacon', async (options) => (await import('./beacon-node.ts')).BeaconNode.start(options)],
  ['tens', async (options) => (await import('./tens-node.ts')).TensNode.start(options)],
  ['member', async (options) => (await import('./member-node.ts')).MemberNode.start(options)],
  ['clerk', async (options) => (await import('./clerk-node.ts')).ClerkNode.start(options)],
])
