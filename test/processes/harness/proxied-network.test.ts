import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ProxiedNetwork } from './proxied-network.ts'

/** What a node says first; the proxy reads from it who dials. */
const hello = (port: number): string => `127.0.0.1:${port}#0123456789abcdef`

let network: ProxiedNetwork
let sockets: Socket[]
let echo: ReturnType<typeof createServer>
let atA: number
let atB: number

beforeEach(async () => {
  network = new ProxiedNetwork()
  sockets = []
  echo = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.pipe(socket)
  })
  echo.listen(0, '127.0.0.1')
  await once(echo, 'listening')
  const { port } = echo.address() as AddressInfo
  atA = await network.add('a', port)
  atB = await network.add('b', port)
})

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await network.close()
  echo.close()
})

function dial(to: number): Socket {
  const socket = connect(to, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.setEncoding('utf8')
  sockets.push(socket)
  return socket
}

/** Sends the words and waits until they have come back. */
async function saysBack(socket: Socket, words: string): Promise<void> {
  socket.write(words)
  await heard(socket, words)
}

/** However it ends. */
function ended(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()))
}

async function heard(socket: Socket, words: string): Promise<void> {
  let text = ''
  while (!text.endsWith(words)) text += String((await once(socket, 'data'))[0])
}

test('passes everything on, in both directions', async () => {
  const socket = dial(atB)
  await saysBack(socket, hello(atA))
  await saysBack(socket, 'x'.repeat(1_000_000))
})

test('stalls one link and no other, and lets what waited arrive later', async () => {
  const [ours, theirs] = [dial(atB), dial(atA)]
  await saysBack(ours, hello(atA))
  await saysBack(theirs, hello(atB))
  network.stallOneWay(['a'], ['b'])
  ours.write('late')
  let isLate = false
  const came = heard(ours, 'late').then(() => (isLate = true))
  await saysBack(dial(atB), hello(1))
  expect(isLate).toBe(false)
  network.heal()
  await came
})

test('lets bytes arrive late and in order when links are slow', async () => {
  const socket = dial(atB)
  await saysBack(socket, hello(atA))
  network.slow(40)
  const begunMs = performance.now()
  socket.write('one ')
  await saysBack(socket, 'two')
  // There and back, each half as late at least.
  expect(performance.now() - begunMs).toBeGreaterThan(39)
})

test('cuts a link: connections are reset, and so are new ones until it is healed', async () => {
  const socket = dial(atB)
  await saysBack(socket, hello(atA))
  const closed = ended(socket)
  network.cut(['a'], ['b'])
  await closed
  const again = dial(atB)
  again.write(hello(atA))
  await ended(again)
  network.heal()
  await saysBack(dial(atB), hello(atA))
})

test('resets who dials a node that is not there', async () => {
  echo.close()
  const socket = dial(atB)
  socket.write(hello(atA))
  await ended(socket)
})
