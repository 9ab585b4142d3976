/** Programs of this folder's tests: the command line itself, and one that keeps a folder open. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { compiledFile } from '../processes/harness/compiled.ts'

const sherdFile = compiledFile(new URL('../../src/cli/sherd.ts', import.meta.url))
const holderFile = compiledFile(new URL('./holder.ts', import.meta.url))

export function startSherd(...words: string[]): ChildProcess {
  return spawn(process.execPath, [sherdFile, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
}

/** What it said, and its exit code. */
export async function endOf(
  child: ChildProcess,
): Promise<{ readonly code: number | null; readonly out: string; readonly notes: string }> {
  let [out, notes] = ['', '']
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (notes += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out, notes }
}

export interface Holder {
  readonly pid: number
  end(): Promise<void>
}

/** Resolves when another process has the store open. */
export async function openElsewhere(folder: string): Promise<Holder> {
  const stdio: ('pipe' | 'inherit')[] = ['pipe', 'pipe', 'inherit']
  const child = spawn(process.execPath, [holderFile, folder], { stdio })
  const closed = once(child, 'close')
  await Promise.race([once(child.stdout!, 'data'), closed])
  return {
    pid: child.pid ?? 0,
    async end() {
      child.stdin?.end()
      await closed
    },
  }
}
