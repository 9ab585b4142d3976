import { expect, test } from 'vitest'
import { kindOfFailure, sqlStateOf } from './postgres-failure.ts'

test('a connection that breaks leaves nobody who can tell what was stored', () => {
  for (const code of ['EPIPE', 'ECONNRESET', undefined]) {
    expect(kindOfFailure(Object.assign(new Error('write failed'), { code }))).toBe('lost')
  }
  expect(sqlStateOf({ code: 'EPIPE' })).toBeUndefined()
})

test('a server that ends the connection is understood in every language', () => {
  for (const severity of ['FATAL', 'ВАЖНО', '致命错误']) {
    for (const code of ['57P01', '57P02', '57P05', '08006', '08P01', '25P03']) {
      expect(kindOfFailure({ code, severity })).toBe('lost')
    }
  }
  // Said by what stands between us and the server.
  expect(kindOfFailure({ code: '08006', severity: 'ERROR' })).toBe('lost')
})

test('what the server says of the statement itself means that nothing was stored', () => {
  for (const severity of ['ERROR', 'ОШИБКА']) {
    expect(kindOfFailure({ code: '40001', severity })).toBe('again')
    expect(kindOfFailure({ code: '25006', severity })).toBe('elsewhere')
    for (const code of ['53100', '57014', '42501']) {
      expect(kindOfFailure({ code, severity })).toBe('refused')
    }
  }
})
