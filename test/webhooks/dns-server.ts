// A DNS server over UDP for tests. Answers A and AAAA questions and records them.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { TestContext } from 'node:test'

/** The addresses of a name at its n-th question per family; none: the name does not exist. */
export type Zone = (name: string, questionNumber: number) => string[] | 'silence'

const TYPE_A = 1
const TYPE_AAAA = 28

export async function startDnsServer(t: TestContext, zone: Zone): Promise<{ server: string; questions: string[] }> {
  const questions: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, { address, port }) => {
    const { name, type, question } = readQuestion(query)
    const asked = `${type === TYPE_A ? 'A' : 'AAAA'} ${name}`
    questions.push(asked)
    const addresses = zone(name, questions.filter((each) => each === asked).length)
    if (addresses === 'silence') return
    const fitting = addresses.filter((each) => each.includes(':') === (type === TYPE_AAAA))
    socket.send(reply(query, question, addresses.length === 0 ? undefined : fitting.map(bytesOf)), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  return { server: `127.0.0.1:${socket.address().port}`, questions }
}

function readQuestion(query: Buffer): { name: string; type: number; question: Buffer } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('ascii', at + 1, at + 1 + length))
    at += 1 + length
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: query.readUInt16BE(at + 1),
    question: query.subarray(12, at + 5),
  }
}

function reply(query: Buffer, question: Buffer, addresses: Buffer[] | undefined): Buffer {
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(addresses ? 0x8180 : 0x8183, 2) // NOERROR or NXDOMAIN.
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(addresses?.length ?? 0, 6)
  const records = (addresses ?? []).map((address) => {
    const record = Buffer.alloc(12)
    record.writeUInt16BE(0xc00c, 0) // Pointer to the name of the question.
    record.writeUInt16BE(address.length === 4 ? TYPE_A : TYPE_AAAA, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt16BE(address.length, 10) // After a TTL of 0.
    return Buffer.concat([record, address])
  })
  return Buffer.concat([header, question, ...records])
}

function bytesOf(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail = ''] = address.split('::')
  const [before, after] = [head, tail].map((part) => part.split(':').filter(Boolean))
  const zeros = Array.from({ length: 8 - (before?.length ?? 0) - (after?.length ?? 0) }, () => '0')
  const groups = [...(before ?? []), ...zeros, ...(after ?? [])]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
