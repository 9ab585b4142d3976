/** Why a value cannot travel, and what to send instead. */
import { types } from 'node:util'
import { clip, escapeControls } from '../foundation/text.ts'

/** For an object that is neither plain nor of a type that travels. */
export function whyNotObject(value: object): string {
  if (types.isPromise(value)) return 'is a Promise and cannot travel; await it and send the result'
  if (types.isRegExp(value)) return 'is a RegExp and cannot travel; send its source as a text'
  if (types.isWeakMap(value) || types.isWeakSet(value)) {
    return `is a ${classNameOf(value)} and cannot travel; send data only`
  }
  if (types.isSharedArrayBuffer(value)) {
    return 'is a SharedArrayBuffer and cannot travel; nothing is shared between nodes, send a copy'
  }
  return `is an instance of ${classNameOf(value)} and cannot travel: it would arrive without its class; send a plain object`
}

function classNameOf(value: object): string {
  try {
    const { name } = value.constructor
    if (typeof name === 'string' && name !== '') return clip(escapeControls(name), 60)
  } catch {
    // No constructor, or one that throws: its name is not worth more trouble.
  }
  return 'an unnamed class'
}
