/** All fuzzers, by name: `npm run fuzz -- --list`. */
import { frames } from './frames.ts'
import type { Fuzz } from './fuzz.ts'
import { handshakes } from './handshakes.ts'
import { protocol } from './protocol.ts'
import { values } from './values.ts'

export const fuzzers: readonly Fuzz[] = [frames, handshakes, values, protocol]
