// The HTTP API of the simulator, for HTTP carriers (D48). It uses the same SMSC, so the recipient decides the outcome here too;
// receipts and replies are posted to the callback URL of the message. docs/reference/simulator.md describes its calls.
import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Log } from '../runtime/log.ts'
import { commandStatus } from '../smpp/status.ts'
import { asDelivered, asSubmitted, type HttpMessage, isLoopback, readHttpMessage } from './http-messages.ts'
import type { Peer } from './outbox.ts'
import type { Smsc } from './smsc.ts'

const HOST = '127.0.0.1'
const MOST_BYTES = 1024 * 1024
const MOST_MESSAGES = 1_000
const POST_MS = 10_000
/** How many places receipts may be posted to; the oldest are forgotten. */
const MOST_PEERS = 100

/** What becomes of one message, as the HTTP API reports it. */
type Said = { status: number; body: { id: string } | { error: string } } | null

interface HttpApiOptions {
  smsc: Smsc
  log: Log
  token: string
}

export class HttpApi {
  readonly #options: HttpApiOptions
  readonly #server: Server
  readonly #peers = new Map<string, Peer>()

  constructor(options: HttpApiOptions) {
    this.#options = options
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((fault) => {
        options.log.error({ err: fault }, 'the simulator failed at a call')
        response.destroy()
      })
    })
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port, HOST)
    await once(this.#server, 'listening')
    this.#server.on('error', (fault) => this.#options.log.error({ err: fault }, 'the simulator cannot take a call'))
  }

  get url(): string {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the simulator does not listen')
    return `http://${HOST}:${address.port}`
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    if (!this.#isKnown(request)) return say(response, 401, { error: 'who are you' })
    if (request.method === 'GET') {
      this.#tell(new URL(request.url ?? '', this.url), response)
      return
    }
    if (request.method !== 'POST') return say(response, 405, { error: 'only GET and POST' })
    if (request.url === '/messages') {
      const said = await this.#take(body)
      // The number may say that it is never answered.
      if (said) say(response, said.status, said.body)
    } else say(response, 404, { error: 'nothing is here' })
  }

  /** What became of one message, or of many. */
  #tell({ pathname, searchParams }: URL, response: ServerResponse): void {
    const { smsc } = this.#options
    const one = /^\/messages\/([^/]+)$/.exec(pathname)?.[1]
    const told = one === undefined ? null : smsc.stateOf(one)
    if (told) say(response, 200, told)
    else if (pathname === '/reports') {
      const ids = (searchParams.get('ids') ?? '').split(',').slice(0, MOST_MESSAGES)
      say(response, 200, { reports: ids.map((id) => smsc.stateOf(id)).filter((it) => it !== null) })
    } else say(response, 404, { error: one === undefined ? 'nothing is here' : 'no such message' })
  }

  async #take(body: unknown): Promise<Said> {
    const message = readHttpMessage(body)
    if (!message || (message.callback !== null && !isLoopback(message.callback)))
      return { status: 400, body: { error: 'malformed' } }
    const reply = await this.#options.smsc.submit(asSubmitted(message), this.#peerFor(message))
    if (!reply) return null
    const refusal = reply.status === undefined ? undefined : (REFUSALS.get(reply.status) ?? REFUSED)
    return refusal ?? { status: 202, body: { id: String(reply.message_id ?? '') } }
  }

  /** One for each address that receipts go to; the same SMSC hands them over as it does to a link. */
  #peerFor({ callback }: HttpMessage): Peer {
    const systemId = `http ${callback ?? ''}`
    const known = this.#peers.get(systemId)
    if (known) return known
    const deliver: Peer['session']['deliver'] = async (message) => {
      const isTaken = callback !== null && (await this.#post(callback, asDelivered(message)))
      const status = isTaken ? commandStatus.ESME_ROK : commandStatus.ESME_RSYSERR
      return { kind: 'answered', status }
    }
    const peer: Peer = { systemId, session: { state: 'bound', deliver }, mayAsk: true }
    this.#peers.set(systemId, peer)
    if (callback !== null) this.#options.smsc.outbox.join(peer)
    const [oldest] = this.#peers
    if (oldest && this.#peers.size > MOST_PEERS) {
      this.#peers.delete(oldest[0])
      this.#options.smsc.outbox.leave(oldest[1])
    }
    return peer
  }

  async #post(url: string, body: unknown): Promise<boolean> {
    try {
      const headers = { 'content-type': 'application/json' }
      const signal = AbortSignal.timeout(POST_MS)
      const init = { method: 'POST', headers, body: JSON.stringify(body), redirect: 'manual', signal } as const
      const response = await fetch(url, init)
      await response.arrayBuffer()
      return response.ok
    } catch {
      return false
    }
  }

  #isKnown({ headers }: IncomingMessage): boolean {
    const given = Buffer.from(headers.authorization ?? '')
    const wanted = Buffer.from(`Bearer ${this.#options.token}`)
    return given.length === wanted.length && timingSafeEqual(given, wanted)
  }
}

const REFUSED = { status: 400, body: { error: 'refused' } }
const REFUSALS = new Map<number, NonNullable<Said>>([
  [commandStatus.ESME_RINVDSTADR, { status: 400, body: { error: 'no such number' } }],
  [commandStatus.ESME_RSYSERR, { status: 503, body: { error: 'not now' } }],
  [commandStatus.ESME_RTHROTTLED, { status: 429, body: { error: 'too fast' } }],
])

function say(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** undefined where it is no JSON, or too much of it. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes <= MOST_BYTES) pieces.push(piece)
  }
  if (bytes > MOST_BYTES) return undefined
  try {
    return JSON.parse(Buffer.concat(pieces).toString())
  } catch {
    return undefined
  }
}
