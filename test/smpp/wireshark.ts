// Decodes our PDUs with Wireshark.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const hasWireshark = spawnSync('tshark', ['-v']).status === 0

/** The commands that Wireshark recognized, and its errors. */
export function readByWireshark(frames: Buffer[]): { commandIds: number[]; complaints: string } {
  const folder = mkdtempSync(join(tmpdir(), 'smpp-capture-'))
  try {
    const capture = join(folder, 'pdus.pcap')
    writeFileSync(capture, captureOf(frames))
    const tshark = (...args: string[]) => spawnSync('tshark', ['-r', capture, ...args], { encoding: 'utf8' }).stdout
    const commandIds = tshark('-T', 'fields', '-e', 'smpp.command_id').trim().split('\n').map(Number)
    return { commandIds, complaints: tshark('-Y', '_ws.malformed || _ws.expert.severity == error') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A pcap file of link type 252: each packet names its dissector and contains one PDU. */
function captureOf(frames: Buffer[]): Buffer {
  const fileHeader = Buffer.alloc(24)
  fileHeader.writeUInt32LE(0xa1b2c3d4, 0)
  fileHeader.writeUInt16LE(2, 4)
  fileHeader.writeUInt16LE(4, 6)
  fileHeader.writeUInt32LE(0x40000, 16)
  fileHeader.writeUInt32LE(252, 20)
  const dissectorName = Buffer.from('000c0004736d707000000000', 'hex')
  const packets = frames.flatMap((frame) => {
    const packetHeader = Buffer.alloc(16)
    packetHeader.writeUInt32LE(dissectorName.length + frame.length, 8)
    packetHeader.writeUInt32LE(dissectorName.length + frame.length, 12)
    return [packetHeader, dissectorName, frame]
  })
  return Buffer.concat([fileHeader, ...packets])
}
