/** The terminal: draws views, reads keys, and gives the terminal back as it was, whatever happens. */
import { type Command, commandsOf } from './keys.ts'
import { lineOfNews, lineOfView } from './printout.ts'
import { render } from './render.ts'
import type { News, View } from './view.ts'

export interface Display {
  show(view: View): void
  /** Gives the terminal back. */
  close(): void
}

const enter = '\u001b[?1049h\u001b[?25l'
const leave = '\u001b[?25h\u001b[?1049l'
const home = '\u001b[H'
const toLineEnd = '\u001b[K'

/** A screen where somebody can see it and press keys; elsewhere a line per second. */
export function openDisplay(onCommand: (command: Command) => void): Display {
  return process.stdout.isTTY && process.stdin.isTTY ? openScreen(onCommand) : new Printer()
}

function openScreen(onCommand: (command: Command) => void): Display {
  const { stdin, stdout } = process
  const isColored = (process.env['NO_COLOR'] ?? '') === ''
  const listen = (typed: Buffer): void => commandsOf(typed.toString()).forEach(onCommand)
  let isOpen = true
  const close = (): void => {
    if (!isOpen) return
    isOpen = false
    stdin.off('data', listen)
    stdin.setRawMode(false)
    stdin.pause()
    stdout.write(leave)
  }
  // Also when an error ends the process, and before it is printed.
  process.once('uncaughtExceptionMonitor', close)
  process.once('exit', close)
  stdin.setRawMode(true)
  stdin.on('data', listen)
  stdout.write(enter)
  return {
    close,
    show(view) {
      if (!isOpen) return
      const { columns, rows } = stdout
      const lines = render(view, { columns, rows, isColored })
      stdout.write(home + lines.map((line) => line + toLineEnd).join('\r\n'))
    },
  }
}

class Printer implements Display {
  #second = -1
  #lastNews: News | undefined

  show(view: View): void {
    const fresh = view.news.slice(this.#lastNews ? view.news.indexOf(this.#lastNews) + 1 : 0)
    for (const news of fresh) console.log(lineOfNews(news))
    this.#lastNews = view.news.at(-1)
    const second = Math.floor(view.elapsedMs / 1_000)
    if (second === this.#second) return
    this.#second = second
    console.log(lineOfView(view))
  }

  close(): void {
    this.#second = -1
  }
}
