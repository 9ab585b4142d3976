/** The programs of the system that make hosts and hurt their network, and what is missing where they cannot. */
import { execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const packages = { ip: 'iproute2', tc: 'iproute2', nsenter: 'util-linux', nft: 'nftables' }
type Program = keyof typeof packages

/** Where administrators' programs are, which may not be on the path of root. */
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']

/** Answers what it printed; fails with what it said. */
export function run(program: Program, args: readonly string[], input = ''): string {
  return execFileSync(found(program) ?? program, args, {
    encoding: 'utf8',
    input,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** Starts what follows it inside a namespace: it becomes that program, so that its process is the one that was started. */
export function entering(namespace: string): readonly [program: string, ...args: string[]] {
  return [found('nsenter') ?? 'nsenter', `--net=/run/netns/${namespace}`]
}

interface Machine {
  readonly platform: NodeJS.Platform
  readonly uid: number | undefined
  readonly finds: (program: Program) => string | undefined
}

const thisMachine = (): Machine => ({
  platform: process.platform,
  uid: process.getuid?.(),
  finds: found,
})

/** All that keeps this machine from having hosts in namespaces, in words; empty when nothing does. */
export function missingForHosts({ platform, uid, finds } = thisMachine()): string[] {
  if (platform !== 'linux') return ['It needs Linux, for network namespaces.']
  const missing = (Object.keys(packages) as Program[]).filter((each) => finds(each) === undefined)
  const needed = new Set(missing.map((program) => packages[program]))
  return [
    ...(uid === 0 ? [] : ['It needs root, to make network namespaces.']),
    ...(missing.length === 0
      ? []
      : [`It needs ${missing.join(', ')}: install ${[...needed].join(', ')}.`]),
  ]
}

function found(program: Program): string | undefined {
  return folders.map((folder) => join(folder, program)).find(canRun)
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
