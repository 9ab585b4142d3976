/** The side of the started process: answers what the test asks, tells it what happens, and ends when the test is gone. */
import { errorInWords, type FromProcess, type News, type Request } from './control-messages.ts'

/** What a process can be asked to do, by name. */
export type Methods = Readonly<Record<string, (...args: never[]) => unknown>>

export interface Reporter {
  tell(news: News): void
}

/** To whoever started this process; without an IPC channel nobody is told. */
export const parent: Reporter = { tell: (news) => send({ type: 'News', news }) }

/** Serves until the process ends. `methods` may be filled later: the first request usually starts the node. */
export function serveControl(methods: Methods): void {
  process.on('message', (request) => void answer(methods, request as Request))
  // The test has ended, perhaps by kill -9: nobody is left to clean up after us.
  process.on('disconnect', () => process.exit(1))
}

async function answer(methods: Methods, { id, method, args }: Request): Promise<void> {
  try {
    const call = methods[method] as ((...args: readonly unknown[]) => unknown) | undefined
    if (call === undefined) throw new Error(`this kind of node has no method ${method}`)
    send({ type: 'Answer', id, value: await call(...args) })
  } catch (error) {
    send({ type: 'Failure', id, error: errorInWords(error) })
  }
}

/** A channel that closes under our hands is no failure of this process; the disconnect ends it. */
function send(message: FromProcess): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}
