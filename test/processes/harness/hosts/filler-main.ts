/**
 * The program that fills slow lines: `node filler-main.js ADDRESS...`, at the switch. It sends bursts to a port where nobody listens,
 * and tells its parent how late a packet is by asking hosts for a connection that they refuse at once.
 */
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { fillerPort } from './packet-rules.ts'
import { bytesPerMs } from './slow-lines.ts'

const everyMs = 300
/** By chance, so much of the line is taken, counted in the time that it takes. */
const burstMs = { least: 150, most: 280 }
const packet = Buffer.alloc(1_400)
/** Per host: what waits in the queue of the kernel counts against the buffer of its socket. */
const socketCount = 5

process.on('disconnect', () => process.exit(1))
for (const host of process.argv.slice(2)) {
  const sockets = Array.from({ length: socketCount }, () => createSocket('udp4'))
  setInterval(() => {
    const ms = burstMs.least + Math.random() * (burstMs.most - burstMs.least)
    const packets = (ms * bytesPerMs) / packet.length
    for (let sent = 0; sent < packets; sent++) {
      sockets[sent % socketCount]?.send(packet, fillerPort, host, () => undefined)
    }
  }, everyMs)
  askHowLate(host)
}

function askHowLate(host: string): void {
  const askedMs = performance.now()
  connect(fillerPort, host)
    .on('error', () => process.send?.(performance.now() - askedMs))
    .on('close', () => setTimeout(() => askHowLate(host), Math.random() * everyMs))
}
