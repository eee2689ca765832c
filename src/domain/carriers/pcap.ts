// Writes a capture as a file for Wireshark (libpcap 2.4). Each bind, and each HTTP call, becomes one TCP connection to the standard port of its
// protocol. The addresses are made up, and TLS is not included.

export interface WireFrame {
  at: Date
  /** The same for all frames of one connection. */
  stream: string
  protocol: 'smpp' | 'http'
  /** Whether the carrier connected to Hulaki. */
  called: boolean
  outgoing: boolean
  bytes: Uint8Array
}

const PORTS = { smpp: 2775, http: 80 }
const FIRST_PORT = 40_000
const MAX_PORTS = 20_000
const MAX_PACKET_BYTES = 16_384
const ETHERNET = 14
const IP = 20
const TCP = 20
const US: End = { mac: 1, ip: [192, 0, 2, 1] }
const THEM: End = { mac: 2, ip: [192, 0, 2, 2] }

interface End {
  mac: number
  /** From the range reserved for documentation. */
  ip: number[]
}

export function pcapOf(frames: readonly WireFrame[]): Uint8Array {
  const head = new Uint8Array(24)
  const view = new DataView(head.buffer)
  view.setUint32(0, 0xa1b2c3d4, true)
  view.setUint16(4, 2, true)
  view.setUint16(6, 4, true)
  view.setUint32(16, 0x40000, true)
  view.setUint32(20, 1, true) // Ethernet
  const parts: Uint8Array[] = [head]
  const streams = new Map<string, Stream>()
  for (const { at, stream, protocol, called, outgoing, bytes } of frames) {
    const known = streams.get(stream) ?? {
      client: FIRST_PORT + (streams.size % MAX_PORTS),
      server: PORTS[protocol],
      called,
      out: 1,
      in: 1,
    }
    streams.set(stream, known)
    for (let from = 0; from < bytes.length; from += MAX_PACKET_BYTES) {
      const some = bytes.subarray(from, from + MAX_PACKET_BYTES)
      parts.push(packet(some, { at, outgoing, stream: known }))
      known[outgoing ? 'out' : 'in'] += some.length
    }
  }
  return joined(parts)
}

interface Stream {
  client: number
  server: number
  called: boolean
  /** Bytes sent by each end. */
  out: number
  in: number
}

function packet(
  bytes: Uint8Array,
  { at, outgoing, stream }: { at: Date; outgoing: boolean; stream: Stream },
): Uint8Array {
  const length = ETHERNET + IP + TCP + bytes.length
  const whole = new Uint8Array(16 + length)
  const view = new DataView(whole.buffer)
  const ms = at.getTime()
  view.setUint32(0, Math.floor(ms / 1000), true)
  view.setUint32(4, (ms % 1000) * 1000, true)
  view.setUint32(8, length, true)
  view.setUint32(12, length, true)
  const [from, to] = outgoing ? [US, THEM] : [THEM, US]
  whole.set([2, 0, 0, 0, 0, to.mac, 2, 0, 0, 0, 0, from.mac, 0x08, 0x00], 16)
  const ip = 16 + ETHERNET
  whole.set([0x45, 0], ip)
  view.setUint16(ip + 2, IP + TCP + bytes.length)
  whole.set([0x40, 0x00, 64, 6], ip + 6)
  whole.set([...from.ip, ...to.ip], ip + 12)
  view.setUint16(ip + 10, checksum(view, ip))
  const tcp = ip + IP
  const isClients = outgoing !== stream.called
  view.setUint16(tcp, isClients ? stream.client : stream.server)
  view.setUint16(tcp + 2, isClients ? stream.server : stream.client)
  view.setUint32(tcp + 4, outgoing ? stream.out : stream.in)
  view.setUint32(tcp + 8, outgoing ? stream.in : stream.out)
  view.setUint16(tcp + 12, 0x5018) // 20 bytes; PSH, ACK
  view.setUint16(tcp + 14, 0xffff)
  whole.set(bytes, tcp + TCP)
  return whole
}

/** The IP header checksum (RFC 791 §3.1). */
function checksum(view: DataView, at: number): number {
  let sum = 0
  for (let offset = 0; offset < IP; offset += 2) sum += view.getUint16(at + offset)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16)
  return ~sum & 0xffff
}

function joined(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
