// A fake HTTP provider whose responses the test controls.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { encryptCarrierSecrets } from '../../src/actions/carriers/carrier-secrets.ts'
import type { ConnectionEvents } from '../../src/delivery/connection.ts'
import { HttpConnection } from '../../src/delivery/http/http-connection.ts'
import type { HttpCarrier } from '../../src/domain/carriers/carrier.ts'
import { DEFAULT_COMMON_SETTINGS } from '../../src/domain/carriers/common-settings.ts'
import type { HttpDescription } from '../../src/domain/carriers/http/description.ts'
import { AddressGuard } from '../../src/outbound/address-guard.ts'
import { SystemClock } from '../../src/runtime/clock.ts'
import { newKeyringText, parseKeyring } from '../../src/runtime/keyring.ts'
import { createLog } from '../../src/runtime/log.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import type { ServiceUnderTest } from './service.ts'

export interface Got {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into what it described itself
  json: any
}

export type Act = (got: Got, response: ServerResponse, socket: Socket) => unknown

export type Provider = Awaited<ReturnType<typeof startProvider>>

const pem = (name: string) => readFileSync(new URL(`../webhooks/certificates/${name}.pem`, import.meta.url), 'utf8')
/** Trusts the provider's TLS certificate. */
export const TRUSTING = { HULAKI_CARRIER_CA_FILE: 'test/webhooks/certificates/ca.cert.pem' }

/** Responds with an ID by default. */
export async function startProvider({ tls = false } = {}) {
  const got: Got[] = []
  const sockets = new Set<Socket>()
  let act: Act = (_, response) => answer(response, 200, { id: `id-${got.length}` })
  const listener: RequestListener = (request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('error', () => {})
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString()
      const { method = '', url = '', headers, socket } = request
      const json = headers['content-type']?.startsWith('application/json') ? JSON.parse(body) : null
      const it = { method, url, headers, body, json }
      got.push(it)
      act(it, response, socket)
    })
  }
  const server = tls
    ? createTlsServer({ key: pem('receiver.key'), cert: pem('receiver.cert') }, listener)
    : createServer(listener)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server is not listening')
  const disconnect = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${address.port}`,
    got,
    sockets,
    does: (next: Act) => {
      act = next
    },
    disconnect,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      disconnect()
      await closed
    },
  }
}

export function answer(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** The HTTP description of this provider. */
export function describe(url: string, more: Record<string, unknown> = {}) {
  return {
    url: `${url}/messages`,
    auth: { kind: 'header', name: 'Authorization', value: 'Bearer {secret.token}' },
    body: {
      kind: 'json',
      value: { to: '{to}', from: '{from}', text: '{text}', ref: '{reference}' },
    },
    answer: {
      id: '/id',
      said: '/error',
      rules: [
        { at: '/error', is: ['invalid number'], outcome: 'rejected', error: 'invalid_number' },
        { at: '/error', table: { 'not now': { outcome: 'other_carrier' }, busy: { outcome: 'throttled' } } },
      ],
    },
    ...more,
  }
}

export const SECRETS = { token: 'a-token-that-is-secret' }
/** A service that may call local providers. */
export const ALLOWED = { HULAKI_CARRIER_ALLOWED_NETWORKS: '127.0.0.0/8' }

export async function addHttpCarrier(service: ServiceUnderTest, url: string, settings: Record<string, unknown> = {}) {
  const made = await service.manage('POST', '/carriers', {
    kind: 'http',
    name: `HTTP ${url}`,
    http: describe(url),
    secrets: SECRETS,
    ...settings,
  })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  return made.body.id as string
}

const CARRIER = '01930000-0000-7000-8000-00000000000c'
/** The defaults that zod fills in. */
const LEFT_OUT = { preset: null, onlyTo: [], method: 'POST', headers: {}, receipts: null }

export interface OpenHttpOptions {
  window?: number
  answerSeconds?: number
  events?: ConnectionEvents
  more?: Record<string, unknown>
}

/** A connection to a provider without a service; `logged` has its log lines. */
export function openHttp(
  t: TestContext,
  provider: Provider,
  {
    window = 4,
    answerSeconds = 30,
    events = { receive: async () => {}, changed: () => {} },
    more = {},
  }: OpenHttpOptions = {},
) {
  const keyring = parseKeyring(newKeyringText(systemRandom), systemRandom)
  const secretsSealed = encryptCarrierSecrets({ keyring }, CARRIER, SECRETS)
  const description = { ...LEFT_OUT, ...describe(provider.url, more) } as HttpDescription
  const http = { description, secretNames: ['token'], callbackHash: null }
  const clock = new SystemClock()
  const [createdAt, updatedAt] = [clock.now(), clock.now()]
  const carrier: HttpCarrier = {
    ...{ ...DEFAULT_COMMON_SETTINGS, id: CARRIER, name: 'Conforming', window, answerSeconds },
    ...{ kind: 'http', http, secretsSealed, createdAt, updatedAt },
  }
  const guard = new AddressGuard({ isAllowed: () => true })
  const logged: string[] = []
  const connection = new HttpConnection({
    carrierId: CARRIER,
    number: 1,
    mode: 'transmitter',
    carrier,
    ports: { clock, random: systemRandom, keyring },
    guard,
    publicUrl: null,
    log: createLog('debug', { write: (line) => logged.push(line) }),
    events,
  })
  t.after(async () => {
    connection.abort()
    await connection.close()
    guard.close()
    await provider.close()
  })
  return { connection, logged }
}
