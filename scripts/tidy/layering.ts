/** Imports walk downhill and through doors: `room-direction`, `door` and `machine-imports`. */
import { adapters, mayImport, roomOf, rooms } from './house.ts'
import { importsOf, targetOf, type Import } from './imports.ts'
import type { SourceFile } from './source-file.ts'
import type { Violation } from './violation.ts'

export function layering(file: SourceFile): Violation[] {
  if (!file.isSource || file.isTest) return []
  const violations = unknownRoom(file)
  for (const imported of importsOf(file)) {
    const found = direction(file, imported) ?? machine(file, imported)
    if (found) violations.push({ path: file.path, line: imported.line, ...found })
  }
  return violations
}

type Finding = Pick<Violation, 'rule' | 'advice'>

function unknownRoom(file: SourceFile): Violation[] {
  const isKnown = file.room === undefined ? file.path === 'src/index.ts' : rooms.includes(file.room)
  if (isKnown) return []
  const advice = 'put the file into a room; a new room is listed in scripts/tidy/house.ts first'
  return [{ path: file.path, line: 1, rule: 'room-direction', advice }]
}

function direction(file: SourceFile, imported: Import): Finding | undefined {
  const target = targetOf(file, imported)
  if (target === undefined) return selfImport(imported)

  const room = roomOf(target)
  if (room === undefined) {
    return { rule: 'room-direction', advice: `a room imports rooms, not ${target}` }
  }
  if (room === file.room) return undefined
  if (file.room !== undefined && !mayImport(file.room, room)) {
    const advice = `${file.room} may not import ${room}; calls go down, news goes up by the event stream`
    return { rule: 'room-direction', advice }
  }
  if (room === 'foundation' || /^src\/[^/]+\/(index|internals)\.ts$/.test(target)) return undefined
  return { rule: 'door', advice: `import ${room} by a door of it, index.ts or internals.ts` }
}

function selfImport({ specifier }: Import): Finding | undefined {
  if (specifier !== 'sherd' && !specifier.startsWith('sherd/')) return undefined
  return { rule: 'room-direction', advice: 'name the room by a relative path, not by the package' }
}

/** A machine may use values, types, messages and settings: whatever cannot act. */
function machine(file: SourceFile, imported: Import): Finding | undefined {
  if (!file.path.endsWith('-machine.ts')) return undefined
  const target = targetOf(file, imported)
  const acts = target !== undefined && (target.endsWith('-actor.ts') || adapters.has(target))
  const isOwnOrGround =
    target?.startsWith(`src/${file.room}/`) || target?.startsWith('src/foundation/')
  if (!acts && (imported.isTypeOnly || isOwnOrGround)) return undefined

  const advice = acts
    ? 'a machine decides and does not act; return an effect and let its actor perform it'
    : 'a machine takes only types from other rooms; pass the value to its constructor'
  return { rule: 'machine-imports', advice }
}
