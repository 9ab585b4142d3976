/**
 * A registry of npm packages without a network: it serves the package, and what it depends on as that is installed in this clone.
 * So the commands of the documentation run as they stand, also where nothing but this machine can be reached.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './reader.ts'

const run = promisify(execFile)

interface Locked {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

interface Package {
  readonly name: string
  readonly folder: string
  readonly version: string
}

export interface LocalRegistry {
  readonly url: string
  close(): void
}

/** `folder` is where it keeps its archives; the package itself is there already, as `sherd-VERSION.tgz`. */
export async function startRegistry(folder: string): Promise<LocalRegistry> {
  const packages = dependencies()
  mkdirSync(folder, { recursive: true })
  const folders = packages.map((one) => `./${one.folder}`)
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...folders]
  // Its shell is for Windows, where npm is a script.
  const { stdout } = await run('npm', words, {
    ...{ cwd: root, maxBuffer: 2 ** 26, shell: process.platform === 'win32' },
  })
  const packed = JSON.parse(stdout) as readonly { readonly filename: string }[]
  const files = new Map(packages.map((one, at) => [one, packed[at]?.filename ?? '']))
  files.set({ name: 'sherd', folder: '.', version }, `sherd-${version}.tgz`)
  const server = createServer((request, response) => answer(files, folder, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() }
}

function answer(
  files: ReadonlyMap<Package, string>,
  folder: string,
  { url = '/', headers }: IncomingMessage,
  response: ServerResponse,
): void {
  const path = decodeURIComponent(url.slice(1))
  if ([...files.values()].includes(path)) {
    response.end(readFileSync(join(folder, path)))
    return
  }
  const versions = [...files].filter(([{ name }]) => name === path)
  const entries = versions.map(([one, file]) => {
    const manifest = readFileSync(join(root, one.folder, 'package.json'), 'utf8')
    const dist = { tarball: `http://${headers.host}/${file}` }
    return [one.version, { ...(JSON.parse(manifest) as object), dist }] as const
  })
  // Packages for other platforms are not here; whoever depends on them can do without.
  response.statusCode = entries.length === 0 ? 404 : 200
  const latest = entries.at(-1)?.[0]
  const page = { name: path, 'dist-tags': { latest }, versions: Object.fromEntries(entries) }
  response.end(JSON.stringify(page))
}

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Locked

/** Everything that is installed for the package itself, by the lock file. */
function dependencies(): Package[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>
  }
  const found = new Map<string, Package>()
  const visit = (from: string): void => {
    const { dependencies: needed, optionalDependencies: optional } = lock.packages[from]!
    for (const name of Object.keys({ ...needed, ...optional })) {
      const folder = [`${from}/node_modules/${name}`, `node_modules/${name}`].find(
        (place) => lock.packages[place] !== undefined && isInstalled(place),
      )
      if (folder === undefined || found.has(folder)) continue
      found.set(folder, { name, folder, version: lock.packages[folder]!.version })
      visit(folder)
    }
  }
  visit('')
  return [...found.values()]
}

function isInstalled(folder: string): boolean {
  try {
    readFileSync(join(root, folder, 'package.json'))
    return true
  } catch {
    return false
  }
}
