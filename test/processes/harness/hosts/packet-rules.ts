/**
 * Which packets between hosts are lost, and the rules of nft that lose them: where they arrive, before anybody sees them, so
 * that who sent them is not told, as behind a cable that was pulled. A rule where they leave would be an error of the sender.
 *
 * Every packet meets at most one chance to be lost. What goes to the store is lost at the switch, on whose host it lives.
 */

export interface Direction {
  readonly from: string
  readonly to: string
}

export interface PacketFaults {
  /** Of all packets, by chance. */
  readonly lossPercent: number
  /** Nothing passes in these. */
  readonly cut: readonly Direction[]
}

export const noFaults: PacketFaults = { lossPercent: 0, cut: [] }

/** Names of hosts, the store among them, to their addresses. */
export type Addresses = ReadonlyMap<string, string>

export const storeName = 'store'
/** The only way out of a host. */
export const hostDevice = 'eth0'
/** To this port goes what only fills the line. */
export const fillerPort = 9

/** At the switch, the end of the line to that host. */
export function deviceTo(name: string): string {
  return `to-${name}`
}

export function rulesOfHost(name: string, faults: PacketFaults, addresses: Addresses): string {
  const cut = faults.cut.filter(({ to }) => to === name)
  return tableOf(
    [hostDevice],
    [
      ...cut.map(({ from }) => `ip saddr ${addresses.get(from)} counter drop`),
      // Nobody listens there, and nobody shall answer that.
      `udp dport ${fillerPort} drop`,
      ...lossOf('', faults),
    ],
  )
}

export function rulesOfSwitch(faults: PacketFaults, addresses: Addresses): string {
  const names = [...addresses.keys()].filter((name) => name !== storeName)
  const toStore = `ip daddr ${addresses.get(storeName)}`
  const cut = faults.cut.filter(({ to }) => to === storeName)
  return tableOf(names.map(deviceTo), [
    ...cut.map(({ from }) => `iifname "${deviceTo(from)}" ${toStore} counter drop`),
    ...lossOf(`${toStore} `, faults),
  ])
}

/** Of the rules as `nft list` prints them: packets that they have lost. */
export function lostBy(printed: string): number {
  const counts = [...printed.matchAll(/counter packets (\d+)/g)].map(([, count]) => Number(count))
  return counts.reduce((sum, count) => sum + count, 0)
}

function lossOf(which: string, { lossPercent }: PacketFaults): string[] {
  if (lossPercent === 0) return []
  return [`${which}numgen random mod 100 < ${lossPercent} counter drop`]
}

/** In the place of what was there, all at once. */
function tableOf(devices: readonly string[], rules: readonly string[]): string {
  const hook = `type filter hook ingress devices = { ${devices.join(', ')} } priority 0;`
  const lines = [hook, ...rules].map((line) => `    ${line}\n`).join('')
  return `table netdev chaos
delete table netdev chaos
table netdev chaos {
  chain arrivals {
${lines}  }
}
`
}
