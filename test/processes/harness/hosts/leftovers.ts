/**
 * Names of namespaces, which say whose they are, and the removal of those whose owner is gone: kill -9 lets nobody clean up. What
 * is in a namespace, devices, rules and addresses, goes with it.
 */
import { run } from './host-tools.ts'

const form = /^sherd-(?<owner>\d+)-\d+-/
let made = 0

/** What the names of all namespaces of one network begin with. */
export function newPrefix(): string {
  return `sherd-${process.pid}-${++made}`
}

export function removeLeftovers(): void {
  for (const name of leftovers(namespaces(), isRunning)) removeNamespace(name)
}

/** Those of ours, among these, whose owner does not run any more. */
export function leftovers(names: readonly string[], runs: (pid: number) => boolean): string[] {
  return names.filter((name) => {
    const owner = form.exec(name)?.groups?.['owner']
    return owner !== undefined && !runs(Number(owner))
  })
}

export function namespaces(): string[] {
  const lines = run('ip', ['netns', 'list']).split('\n')
  return lines.map((line) => line.split(' ')[0] ?? '').filter((name) => name !== '')
}

/** Does nothing when it is gone, as when another run has swept it as well. */
export function removeNamespace(name: string): void {
  try {
    run('ip', ['netns', 'del', name])
  } catch {
    if (namespaces().includes(name)) console.error(`cannot remove the namespace ${name}`)
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Somebody else's process is one as well.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
