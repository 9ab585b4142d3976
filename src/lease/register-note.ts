/** The note beside a lease, in a register of its own: the one of the lease changes with every renewal. */
import type { Registers } from '../persistence/index.ts'
import type { LeaseNote } from './lease.ts'

export function noteInRegister(registers: Registers, leaseName: string): LeaseNote {
  const name = `lease-note/${leaseName}`
  return {
    read: () => registers.readRegister(name),
    write: async (bytes, over) => {
      const expectedRevision = typeof over === 'number' ? over : 0
      const { type } = await registers.writeRegister({ name, expectedRevision, bytes })
      return type === 'RegisterWritten'
    },
  }
}
