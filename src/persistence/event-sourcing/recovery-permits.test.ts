import { describe, expect, test } from 'vitest'
import { RecoveryPermits } from './recovery-permits.ts'

describe('RecoveryPermits', () => {
  const requests = (limit: number, count: number) => {
    const permits = new RecoveryPermits(limit)
    const granted: number[] = []
    const held = Array.from({ length: count }, (_, n) => permits.request(() => granted.push(n)))
    return { granted, held }
  }

  test('are granted up to the limit, and then in the order of the requests', () => {
    const { granted, held } = requests(3, 5)
    expect(granted).toEqual([0, 1, 2])
    held[1]!.release()
    held[0]!.release()
    expect(granted).toEqual([0, 1, 2, 3, 4])
  })

  test('are returned once, and are not granted to those who wait no more', () => {
    const { granted, held } = requests(1, 4)
    held[1]!.release()
    held[0]!.release()
    held[0]!.release()
    expect(granted).toEqual([0, 2])
    held[2]!.release()
    expect(granted).toEqual([0, 2, 3])
  })

  test('need a limit of at least one', () => {
    expect(() => new RecoveryPermits(0)).toThrow('concurrentRecoveriesMax must be')
  })
})
