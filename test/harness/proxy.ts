// A proxy in front of PostgreSQL that drops connections, loses responses or rejects connections on demand.
import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { after } from 'node:test'
import { freePort } from './free-port.ts'
import type { TestService } from './service.ts'

interface Cut {
  statement: 'begin' | 'commit'
  /** The statement does not reach the database. */
  beforeIt?: boolean
  /** The proxy stops. */
  andClose?: boolean
  /** Closes new connections for this long. */
  refuseMs?: number
}

export async function startProxy({ address }: Pick<TestService, 'address'>) {
  let armed: Cut | null = null
  let cut = false
  let refusesUntil = 0
  let trips = 0
  const connections = new Set<Socket>()
  const server = createServer((near) => {
    if (performance.now() < refusesUntil) return near.destroy()
    const far = address.host.startsWith('/')
      ? connect(`${address.host}/.s.PGSQL.${address.port}`)
      : connect(address.port, address.host)
    let doom: Cut | null = null
    let isAsked = false
    const breakOff = ({ andClose = false, refuseMs = 0 }: Cut) => {
      cut = true
      refusesUntil = performance.now() + refuseMs
      if (refuseMs > 0) for (const socket of connections) socket.destroy()
      if (andClose) close()
      near.destroy()
    }
    for (const socket of [near, far]) {
      connections.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        connections.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', (bytes) => {
      if (!isAsked) trips += 1
      isAsked = true
      if (armed && bytes.includes(`${armed.statement}\0`)) {
        doom = armed
        armed = null
        if (doom.beforeIt) return breakOff(doom)
      }
      far.write(bytes)
    })
    far.on('data', (bytes) => {
      isAsked = false
      if (!doom) return near.write(bytes)
      // Responses to earlier statements may come first.
      if (bytes.includes(`${doom.statement.toUpperCase()}\0`)) breakOff(doom)
    })
  })
  const open = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const close = () => {
    server.close()
    for (const socket of connections) socket.destroy()
  }
  // While it is closed, no other server of this machine takes its port.
  await open(await freePort())
  after(close)
  const listening = server.address()
  assert.ok(listening !== null && typeof listening === 'object')
  return {
    /** The address of the proxy. */
    address: { ...address, host: '127.0.0.1', port: listening.port },
    cutAtNext: (statement: Cut['statement'], how: Omit<Cut, 'statement'> = {}) => {
      armed = { statement, ...how }
    },
    wasCut: () => cut,
    /** The number of round trips. */
    trips: () => trips,
    close,
    open: () => open(listening.port),
  }
}
