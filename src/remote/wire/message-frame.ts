/**
 * The frame of messages: `count`, then one head per message, then all bodies as one MessagePack array. A head is a
 * varint whose lowest three bits say what it is, and whose rest is a number:
 *
 *   tell   number of a path
 *   ask    number of a path; then the ask's number and the number of the field that holds the address for the answer
 *   answer the ask's number on the node that asked
 *   stop   number of a path; its body is null
 *   define number, then the text it stands for from now on; has no body and is not counted
 */
export const heads = { tell: 0, ask: 1, answer: 2, stop: 3, define: 4 } as const

export const headBits = 3
export const headMask = 7

/** What fits beside the bits of a head. */
export const headNumberMax = 2 ** 50 - 1

/** Messages in one frame, at most; a larger count is nonsense. */
export const batchMessagesMax = 512
