/**
 * The other process of the remote benchmarks: `node remote-child.js ours|bare [TLS]`. Answers every `get` with 1, and every
 * burst of `add` with one `next`. Tells its parent where it listens, and ends with it.
 */
import { createServer } from 'node:net'
import { type ActorRef, Behaviors } from '../src/actor/index.ts'
import type { TlsOptions } from '../src/remote/index.ts'
import { MessageStream } from './bare/message-stream.ts'
import { quietSystem } from './quiet-system.ts'
import { burst, startRemoting } from './remote-shape.ts'

type ToServer =
  | { readonly type: 'add'; readonly to: string; readonly by: number }
  | { readonly type: 'get'; readonly replyTo: ActorRef<number> }
  | { readonly type: 'hello'; readonly sender: ActorRef<string> }

process.on('disconnect', () => process.exit(0))
if (process.argv[2] === 'ours') await serveOurs()
else serveBare()

async function serveOurs(): Promise<void> {
  const system = quietSystem()
  const given = process.argv[3]
  const tls = given === undefined ? undefined : (JSON.parse(given) as TlsOptions)
  const remoting = await startRemoting(system, tls)
  let sender: ActorRef<string> | undefined
  let received = 0
  system.spawn(
    Behaviors.receiveMessage<ToServer>((message) => {
      if (message.type === 'get') return message.replyTo.tell(1)
      if (message.type === 'hello') sender = message.sender
      else if (++received % burst === 0) sender?.tell('next')
    }),
    'server',
  )
  process.send?.({ address: remoting.address })
}

function serveBare(): void {
  let received = 0
  const server = createServer((socket) => {
    const stream = new MessageStream(socket, (_receiver, question) => {
      if (question > 0) stream.send(0, question, 1)
      else if (++received % burst === 0) stream.send(0, 0, 'next')
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    process.send?.({ port: typeof address === 'object' ? address?.port : 0 })
  })
}
