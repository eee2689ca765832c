// A proxy that parses PostgreSQL's protocol and makes statements fail: with an error code, or by closing the connection before or after
// execution.
import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { after } from 'node:test'
import type { Connection } from './server.ts'

/** `cut`: closes the connection before the statement; `lost`: after execution, before its response; `refused`: returns an error. */
export type StatementFault = 'cut' | 'lost' | 'refused'

/** In rotation: read-only server, serialization conflict, lock timeout. */
const REFUSALS = ['25006', '40001', '55P03']

/** The statements between two failures: enough for a retry. */
const GAP = 12
/** The number of consecutive failures: fewer than all retries. */
const MOST = 3

export async function startStatementFaults(address: Connection) {
  let armed: StatementFault | null = null
  let sinceLast = GAP
  const failed: string[] = []
  /** The failed statements by fault, per kind of transaction. */
  const known = new Set<string>()
  const sockets = new Set<Socket>()
  /** The fault for this statement, if it must fail. */
  const judge = ({ text, first }: Judged): StatementFault | null => {
    sinceLast += 1
    const name = `${armed} ${first} ${text}`
    if (armed === null || failed.length === MOST || sinceLast < GAP || known.has(name)) return null
    sinceLast = 0
    known.add(name)
    failed.push(text.replaceAll(/\s+/g, ' ').trim())
    return armed
  }
  const server = createServer((near) => {
    const far = address.host.startsWith('/')
      ? connect(`${address.host}/.s.PGSQL.${address.port}`)
      : connect(address.port, address.host)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.setNoDelay()
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    relay({ near, far, judge })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const listening = server.address()
  assert(listening !== null && typeof listening === 'object')
  return {
    /** The address of the proxy. */
    address: { ...address, host: '127.0.0.1', port: listening.port },
    /** From now on, each statement that has not failed by this fault fails. */
    arm: (fault: StatementFault) => {
      armed = fault
      sinceLast = GAP
      failed.length = 0
    },
    /** The statements that failed. */
    disarm: () => {
      armed = null
      return [...failed]
    },
  }
}

interface Judged {
  text: string
  /** The first statement of its transaction. */
  first: string
}

interface Relay {
  near: Socket
  far: Socket
  judge: (judged: Judged) => StatementFault | null
}

function relay({ near, far, judge }: Relay): void {
  const texts = new Map<string, string>()
  let bound = ''
  let first = ''
  let refusal: string | null = null
  let isLost = false
  const onFront = (type: string, body: Buffer, whole: Buffer) => {
    if (type === 'P') {
      const [name = '', text = ''] = body.toString().split('\0')
      texts.set(name, text)
    }
    if (type === 'B') bound = texts.get(body.toString('latin1').split('\0')[1] ?? '') ?? ''
    if (type === 'E' && bound === 'begin') first = ''
    else if (type === 'E' && first === '') first = bound
    const fault = type === 'E' ? judge({ text: bound, first }) : null
    if (fault === null) return far.write(whole)
    if (fault === 'cut') {
      // Immediately, because the rest of the packet must not reach the server.
      near.destroy()
      return far.destroy()
    }
    if (fault === 'lost') {
      isLost = true
      return far.write(whole)
    }
    refusal = REFUSALS[refusals++ % REFUSALS.length] ?? null
    return far.write(NO_SUCH_PORTAL)
  }
  const onBack = (type: string, _body: Buffer, whole: Buffer) => {
    // The server is idle.
    if (isLost) return type === 'Z' ? near.destroy() : false
    if (type !== 'E' || refusal === null) return near.write(whole)
    near.write(Buffer.from(whole.toString('latin1').replace('C34000\0', `C${refusal}\0`), 'latin1'))
    refusal = null
  }
  near.on('data', framed(onFront, { beginsUntyped: true, to: far }))
  far.on('data', framed(onBack, { beginsUntyped: false, to: near }))
}

let refusals = 0

/** An Execute of a missing portal. */
const NO_SUCH_PORTAL = Buffer.from([0x45, 0, 0, 0, 13, ...Buffer.from('none\0'), 0, 0, 0, 0])

/** Splits a stream into messages. The first client message has no type. */
function framed(
  onMessage: (type: string, body: Buffer, whole: Buffer) => unknown,
  { beginsUntyped, to }: { beginsUntyped: boolean; to: Socket },
) {
  let rest = Buffer.alloc(0)
  let isFirst = beginsUntyped
  const next = (): Buffer | null => {
    const head = isFirst ? 0 : 1
    const length = rest.length < head + 4 ? Number.POSITIVE_INFINITY : head + rest.readUInt32BE(head)
    if (rest.length < length) return null
    const whole = rest.subarray(0, length)
    rest = rest.subarray(length)
    return whole
  }
  return (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    // Forwards a packet as one packet.
    to.cork()
    for (let whole = next(); whole; whole = next()) {
      if (isFirst) to.write(whole)
      else onMessage(String.fromCharCode(whole[0] ?? 0), whole.subarray(5), whole)
      isFirst = false
    }
    to.uncork()
  }
}
