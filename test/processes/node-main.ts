/**
 * The program of every node process that tests start: `node node-main.ts KIND`, with an IPC channel to the test. The
 * first request is `start` with the options of the node; after it the methods of that kind of node can be called.
 */
import { type Methods, serveControl } from './harness/control-server.ts'
import { kinds } from './nodes/kinds.ts'

const [kind = ''] = process.argv.slice(2)
const start = kinds.get(kind)
if (start === undefined) throw new Error(`there is no kind of node "${kind}"`)

const methods: Record<string, Methods[string]> = {
  start: async (options: never) => {
    Object.assign(methods, methodsOf(await start(options)))
  },
}
serveControl(methods)

/** The public methods of the node, each by its name. */
function methodsOf(node: object): Record<string, Methods[string]> {
  const prototype = Object.getPrototypeOf(node) as Record<string, Methods[string]>
  const names = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor')
  return Object.fromEntries(names.map((name) => [name, prototype[name]!.bind(node)]))
}
