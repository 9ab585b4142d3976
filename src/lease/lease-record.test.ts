import { expect, test } from 'vitest'
import { bytesOfLease, leaseOfBytes, type LeaseRecord } from './lease-record.ts'

const held: LeaseRecord = {
  holder: { owner: '10.0.0.7:2552#00c0ffee12345678', instance: 'c0ffee', identity: 'h 7 99' },
  token: 12,
  renewals: 3,
  ttlMs: 120_000,
}
const free: LeaseRecord = { holder: undefined, token: 12, renewals: 0, ttlMs: 120_000 }

test('a record is read as it was written', () => {
  for (const record of [held, free, { ...held, holder: { owner: 'a', instance: 'b' } }]) {
    expect(leaseOfBytes(bytesOfLease(record))).toEqual(record)
  }
})

test('what once stood in a store can still be read', () => {
  const samples = [
    'd4724095a776657273696f6ea6686f6c646572a5746f6b656ea872656e6577616c73a574746c4d73' +
      '01d4724193a56f776e6572a8696e7374616e6365a86964656e74697479be31302e302e302e373a32' +
      '3535322330306330666665653132333435363738a6633066666565a66820372039390c03ce0001d4' +
      'c0',
    'd4724095a776657273696f6ea6686f6c646572a5746f6b656ea872656e6577616c73a574746c4d73' +
      '01d400000c00ce0001d4c0',
  ]
  const read = samples.map((hex) => leaseOfBytes(Buffer.from(hex, 'hex')))
  expect(read).toEqual([held, free])
})

test('what is no record, or one of another version, is not read', () => {
  const cut = bytesOfLease(held).subarray(0, -1)
  for (const bytes of [new Uint8Array(), new Uint8Array([1, 2, 3]), cut]) {
    expect(leaseOfBytes(bytes)).toBe(undefined)
  }
  for (const wrong of [{ token: 0 }, { ttlMs: 0 }, { renewals: -1 }, { version: 2 }]) {
    expect(leaseOfBytes(bytesOfLease({ ...held, ...wrong }))).toBe(undefined)
  }
})
