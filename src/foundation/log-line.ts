/**
 * What a line of the console log looks like, for people or as JSON. Whatever is logged, the line is bounded, free of
 * control characters, and making it does not throw.
 */
import type { LogFields, LogLevel } from './logger.ts'
import { show } from './show.ts'
import { clip, escapeControls } from './text.ts'

export interface LogLine {
  readonly level: LogLevel
  readonly wallMs: number
  readonly message: string
  readonly fields: LogFields
}

const MESSAGE_LENGTH_MAX = 2_000
const VALUE_LENGTH_MAX = 400
const KEY_LENGTH_MAX = 100
const STACK_LENGTH_MAX = 4_000
const FIELDS_MAX = 50
const FRAMES_MAX = 30
const CAUSES_MAX = 4

const bareValue = /^[^\s'"=]+$/
const levelColours: Readonly<Record<LogLevel, string>> = {
  trace: '\u001b[90m',
  debug: '\u001b[36m',
  info: '\u001b[32m',
  warn: '\u001b[33m',
  error: '\u001b[31m',
}
const DIM = '\u001b[2m'
const PLAIN = '\u001b[0m'

/** `12:03:04.567 WARN  message key=value`, with an error under `err` on lines of its own below. */
export function readableLine(line: LogLine, timeOfDay: string, hasColour: boolean): string {
  const paint = (colour: string, text: string): string =>
    hasColour ? `${colour}${text}${PLAIN}` : text
  const level = paint(levelColours[line.level], line.level.toUpperCase().padEnd(5))
  const message = escapeControls(clip(line.message, MESSAGE_LENGTH_MAX))
  let text = `${paint(DIM, timeOfDay)} ${level} ${message}`
  let errorText = ''
  for (const [key, value] of entriesOf(line.fields)) {
    if (key === 'err' && isErrorLike(value)) errorText = readableError(describeError(value))
    else text += ` ${paint(DIM, `${escapeControls(key)}=`)}${readableValue(value)}`
  }
  return text + errorText
}

/** One JSON object per line: level, time, msg, then the fields. A field of one of these names gets a leading `_`. */
export function jsonLine(line: LogLine): string {
  const record = Object.create(null) as Record<string, unknown>
  record['level'] = line.level
  record['time'] = line.wallMs
  record['msg'] = clip(line.message, MESSAGE_LENGTH_MAX)
  for (const [key, value] of entriesOf(line.fields)) {
    const isTaken = key === 'level' || key === 'time' || key === 'msg'
    record[isTaken ? `_${key}` : key] =
      key === 'err' && isErrorLike(value) ? describeError(value) : jsonValue(value)
  }
  // JSON leaves DEL, C1 and direction marks as they are; their escapes are valid JSON too.
  return escapeControls(JSON.stringify(record))
}

/** `fields` over `context`. Getters are read here and now; one that throws costs its field, not the line. */
export function mergeFields(context: LogFields, fields: LogFields): LogFields {
  // Without a prototype a field named `__proto__` is a field like any other.
  const merged = Object.create(null) as Record<string, unknown>
  for (const source of [context, fields]) {
    for (const key of keysOf(source)) merged[key] = read(source, key)
  }
  return merged
}

function keysOf(fields: LogFields): string[] {
  try {
    return Object.keys(fields).slice(0, FIELDS_MAX)
  } catch {
    return []
  }
}

function entriesOf(fields: LogFields): [string, unknown][] {
  return keysOf(fields)
    .map((key): [string, unknown] => [clip(key, KEY_LENGTH_MAX), read(fields, key)])
    .filter(([, value]) => value !== undefined)
}

function readableValue(value: unknown): string {
  if (typeof value === 'bigint') return clip(show(value), VALUE_LENGTH_MAX).replace(/n$/, '')
  if (typeof value !== 'string' || !bareValue.test(value)) return show(value, VALUE_LENGTH_MAX)
  return escapeControls(clip(value, VALUE_LENGTH_MAX))
}

function jsonValue(value: unknown): unknown {
  if (typeof value === 'string') return clip(value, VALUE_LENGTH_MAX)
  if (typeof value === 'bigint') return readableValue(value)
  const isPlain = value === null || typeof value === 'boolean' || Number.isFinite(value)
  return isPlain ? value : show(value, VALUE_LENGTH_MAX)
}

interface ErrorDescription {
  readonly type: string
  readonly message: string
  readonly code?: string | number
  readonly stack?: string
  readonly cause?: ErrorDescription | string
}

/** Errors of other realms and of libraries that do not inherit from ours included. */
function isErrorLike(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return typeof read(value, 'message') === 'string' && typeof read(value, 'stack') === 'string'
}

function describeError(error: object, depth = 0): ErrorDescription {
  const type = read(error, 'name')
  const code = read(error, 'code')
  const cause = read(error, 'cause')
  return {
    type: typeof type === 'string' ? clip(type, KEY_LENGTH_MAX) : 'Error',
    message: clip(String(read(error, 'message')), MESSAGE_LENGTH_MAX),
    ...(typeof code === 'string' ? { code: clip(code, KEY_LENGTH_MAX) } : {}),
    ...(typeof code === 'number' ? { code } : {}),
    stack: clip(String(read(error, 'stack')), STACK_LENGTH_MAX),
    ...(cause === undefined || depth >= CAUSES_MAX
      ? {}
      : { cause: isErrorLike(cause) ? describeError(cause, depth + 1) : show(cause) }),
  }
}

/** The header is ours, not that of the stack: V8 fixes the latter before a constructor has set the name. */
function readableError(error: ErrorDescription, prefix = ''): string {
  const code = error.code === undefined ? '' : ` [${error.code}]`
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  let text = `\n    ${prefix}${escapeControls(`${error.type}${code}: ${error.message}`)}`
  for (const frame of frames.slice(0, FRAMES_MAX)) text += `\n      ${escapeControls(frame.trim())}`
  if (error.cause === undefined) return text
  return typeof error.cause === 'string'
    ? `${text}\n    caused by ${error.cause}`
    : text + readableError(error.cause, 'caused by ')
}

/** A getter may throw; the log line must still come out. */
function read(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key]
  } catch {
    return '[unreadable]'
  }
}
