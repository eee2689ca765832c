// The HTTP API of the simulator for HTTP carriers (D48), described in docs/reference/simulator.md. It shares the SMSC, so the recipient
// decides the outcome.
import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Log } from '../runtime/log.ts'
import { commandStatus } from '../smpp/status.ts'
import { asDelivered, asSubmitted, type HttpMessage, isLoopback, readHttpMessage } from './http-messages.ts'
import type { Peer } from './outbox.ts'
import type { Smsc } from './smsc.ts'

const HOST = '127.0.0.1'
const MAX_BYTES = 1024 * 1024
const MAX_MESSAGES = 1_000
const POST_MS = 10_000
/** The number of callback URLs; the oldest are dropped. */
const MAX_PEERS = 100

/** The response to a submission; null: no response. */
type SubmissionResponse = { status: number; body: { id: string } | { error: string } } | null

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
      this.#serve(request, response).catch((error) => {
        options.log.error({ err: error }, 'simulator request failed')
        response.destroy()
      })
    })
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port, HOST)
    await once(this.#server, 'listening')
    this.#server.on('error', (error) => this.#options.log.error({ err: error }, 'simulator HTTP server error'))
  }

  get url(): string {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the simulator is not listening')
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
    if (!this.#isAuthorized(request)) return respond(response, 401, { error: 'unauthorized' })
    if (request.method === 'GET') {
      this.#respondWithState(new URL(request.url ?? '', this.url), response)
      return
    }
    if (request.method !== 'POST') return respond(response, 405, { error: 'method not allowed' })
    if (request.url === '/messages') {
      const answer = await this.#submit(body)
      // Some numbers never get a response.
      if (answer) respond(response, answer.status, answer.body)
    } else respond(response, 404, { error: 'not found' })
  }

  /** Responds with the state of one message or of several. */
  #respondWithState({ pathname, searchParams }: URL, response: ServerResponse): void {
    const { smsc } = this.#options
    const id = /^\/messages\/([^/]+)$/.exec(pathname)?.[1]
    const state = id === undefined ? null : smsc.stateOf(id)
    if (state) respond(response, 200, state)
    else if (pathname === '/reports') {
      const ids = (searchParams.get('ids') ?? '').split(',').slice(0, MAX_MESSAGES)
      respond(response, 200, { reports: ids.map((id) => smsc.stateOf(id)).filter((it) => it !== null) })
    } else respond(response, 404, { error: id === undefined ? 'not found' : 'message not found' })
  }

  async #submit(body: unknown): Promise<SubmissionResponse> {
    const message = readHttpMessage(body)
    if (!message || (message.callback !== null && !isLoopback(message.callback)))
      return { status: 400, body: { error: 'malformed' } }
    const reply = await this.#options.smsc.submit(asSubmitted(message), this.#peerFor(message))
    if (!reply) return null
    const refusal = reply.status === undefined ? undefined : (REJECTIONS.get(reply.status) ?? REJECTED)
    return refusal ?? { status: 202, body: { id: String(reply.message_id ?? '') } }
  }

  /** One peer per callback URL; the SMSC delivers receipts to a peer as over a link. */
  #peerFor({ callback }: HttpMessage): Peer {
    const systemId = `http ${callback ?? ''}`
    const existing = this.#peers.get(systemId)
    if (existing) return existing
    const deliver: Peer['session']['deliver'] = async (message) => {
      const isAccepted = callback !== null && (await this.#post(callback, asDelivered(message)))
      const status = isAccepted ? commandStatus.ESME_ROK : commandStatus.ESME_RSYSERR
      return { kind: 'answered', status }
    }
    const peer: Peer = { systemId, session: { state: 'bound', deliver }, canPoll: true }
    this.#peers.set(systemId, peer)
    if (callback !== null) this.#options.smsc.outbox.join(peer)
    const [oldest] = this.#peers
    if (oldest && this.#peers.size > MAX_PEERS) {
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

  #isAuthorized({ headers }: IncomingMessage): boolean {
    const given = Buffer.from(headers.authorization ?? '')
    const wanted = Buffer.from(`Bearer ${this.#options.token}`)
    return given.length === wanted.length && timingSafeEqual(given, wanted)
  }
}

const REJECTED = { status: 400, body: { error: 'rejected' } }
const REJECTIONS = new Map<number, NonNullable<SubmissionResponse>>([
  [commandStatus.ESME_RINVDSTADR, { status: 400, body: { error: 'invalid number' } }],
  [commandStatus.ESME_RSYSERR, { status: 503, body: { error: 'temporarily unavailable' } }],
  [commandStatus.ESME_RTHROTTLED, { status: 429, body: { error: 'rate limit exceeded' } }],
])

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** undefined: invalid JSON, or too large. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= MAX_BYTES) chunks.push(chunk)
  }
  if (bytes > MAX_BYTES) return undefined
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    return undefined
  }
}
