/** Tells how it goes: on a terminal one line that is written over and over, elsewhere a new line every second. */
import { type ActorRef, type Behavior, Behaviors } from '../../src/index.ts'
import type { ToBank, Totals } from './messages.ts'

type ToReporter = { readonly type: 'Look' } | { readonly type: 'Seen'; readonly totals: Totals }

const isTerminal = process.stdout.isTTY

export function reporter(bank: ActorRef<ToBank>): Behavior<ToReporter> {
  return Behaviors.setup<ToReporter>((context) => {
    const everyMs = isTerminal ? 250 : 1_000
    const startedMs = performance.now()
    let seenMs = startedMs
    let seenTransfers = 0
    context.timers.startFixedDelay('look', everyMs, { type: 'Look' })

    const show = ({ transferred, failures }: Totals): void => {
      const nowMs = performance.now()
      const perSecond = Math.round((transferred - seenTransfers) / ((nowMs - seenMs) / 1_000))
      seenMs = nowMs
      seenTransfers = transferred
      const second = `${Math.round((nowMs - startedMs) / 1_000)} s`.padStart(5)
      const { lostMessageCounts } = context.system
      writeOver(
        `${second}   ${inWords(perSecond)} transfers per second   ` +
          `${inWords(failures)} failures survived   messages lost: ${lostInWords(lostMessageCounts)}`,
      )
    }

    return Behaviors.receiveMessage<ToReporter>((message) => {
      if (message.type === 'Seen') return show(message.totals)
      context.ask<ToBank, Totals>(bank, (replyTo) => ({ type: 'GetTotals', replyTo }), {
        done: (totals) => ({ type: 'Seen', totals }),
      })
    }).receiveSignal({
      PostStop: () => {
        if (isTerminal) console.log()
      },
    })
  })
}

/** `12 late-reply, 3 restart-stash-full`. */
export function lostInWords(counts: Readonly<Record<string, number>>): string {
  const reasons = Object.entries(counts).map(
    ([kind, count]) => `${inWords(count)} ${kind.split('/').at(-1)}`,
  )
  return reasons.length === 0 ? 'none' : reasons.join(', ')
}

export function inWords(count: number): string {
  return count.toLocaleString('en')
}

function writeOver(line: string): void {
  // A line that wraps could not be written over.
  const { columns } = process.stdout
  process.stdout.write(isTerminal ? `\r\u001b[K${line.slice(0, columns - 1)}` : `${line}\n`)
}
