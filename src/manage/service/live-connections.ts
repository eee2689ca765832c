// The open streams of this process: their bounds, their keep-alives, and their end when the access of the viewer ends (D67, D74).
import type { ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { ACCESS_SUBJECT } from '../../actions/people/access.ts'
import type { Ports } from '../../actions/ports.ts'
import { type Manager, personBehind } from '../../domain/people/actor.ts'
import { inBackground } from '../../runtime/log.ts'
import { isAway } from '../../store/database/db.ts'
import type { IsStillAllowed } from '../authenticate.ts'

/** D43: streams per process, of one person, of one workspace and in total. */
export const MAX_PER_PERSON = 10
export const MAX_PER_WORKSPACE = 20
const MAX_TOTAL = 1_000
/** How long a browser waits before it reconnects. */
const RETRY_MS = 2_000
/** Interval of keep-alives, and of the check whether viewers still have access. */
const BEAT_MS = 15_000
/** A stream ends after this time; the browser reconnects to any process. */
const MAX_MS = 30 * 60_000
/** A viewer with more unread bytes is disconnected. */
const MAX_UNREAD_BYTES = 256 * 1024

export interface WatchRequest {
  request: FastifyRequest
  stream: ServerResponse
  actor: Manager
  /** Whose topics are sent: an id, or EVERY_WORKSPACE. */
  workspaceId: string
  /** Whose messages are sent too: an id, EVERY_WORKSPACE, or null for none. */
  messagesOf: string | null
  hasTraffic: boolean
}

export interface Connection extends WatchRequest {
  endsAt: number
}

export interface FeedOptions {
  log: FastifyBaseLogger
  leaving: AbortSignal
  isStillAllowed: IsStillAllowed
}

export class LiveConnections {
  readonly #ports: Ports
  readonly #log: FastifyBaseLogger
  readonly #leaving: AbortSignal
  readonly #isStillAllowed: IsStillAllowed
  readonly #all = new Set<Connection>()
  #beating: NodeJS.Timeout | null = null
  #isChecking = false
  #hasToCheckAgain = false
  #subscription: Promise<void> | null = null

  constructor(ports: Ports, { log, leaving, isStillAllowed }: FeedOptions) {
    this.#ports = ports
    this.#log = log
    this.#leaving = leaving
    this.#isStillAllowed = isStillAllowed
    leaving.addEventListener('abort', () => {
      for (const { stream } of this.#all) stream.end()
    })
  }

  /** Which limit is reached, or null. The operator token of the settings belongs to no person, so only the other limits apply to it. */
  findLimit({ actor, workspaceId }: Pick<WatchRequest, 'actor' | 'workspaceId'>): Limit | null {
    if (this.#leaving.aborted || this.#all.size >= MAX_TOTAL) return 'process'
    const person = ownerOf(actor)
    const count = (isCounted: (it: Connection) => boolean) => [...this.#all].filter(isCounted).length
    if (person !== null && count((it) => ownerOf(it.actor) === person) >= MAX_PER_PERSON) return 'person'
    return count((it) => it.workspaceId === workspaceId) >= MAX_PER_WORKSPACE ? 'workspace' : null
  }

  add(watching: WatchRequest, onClose: (connection: Connection) => void): Connection {
    const connection: Connection = { ...watching, endsAt: performance.now() + MAX_MS }
    const { stream } = watching
    this.#all.add(connection)
    stream.once('close', () => {
      this.#remove(connection)
      onClose(connection)
    })
    stream.on('error', () => {})
    this.write(connection, `retry: ${RETRY_MS}\n${this.event('open', {})}`)
    // A notification can be lost, so every beat checks as well.
    const recheck = () => inBackground(this.#checkAccess(), this.#log, 'checking access of streams')
    this.#subscription ??= this.#ports.notifications.subscribe(ACCESS_SUBJECT, { receive: recheck, resumed: recheck })
    this.#beating ??= setInterval(() => this.#beat(), BEAT_MS).unref()
    return connection
  }

  event(name: string, data: object): string {
    return `id: ${this.#ports.clock.now().getTime()}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`
  }

  write({ stream }: Connection, text: string): void {
    if (stream.writableEnded || stream.destroyed) return
    stream.write(text)
    if (stream.writableLength > MAX_UNREAD_BYTES) stream.destroy()
  }

  #remove(connection: Connection): void {
    this.#all.delete(connection)
    if (this.#all.size > 0 || !this.#beating) return
    clearInterval(this.#beating)
    this.#beating = null
  }

  /** An event, because browsers do not show comments: a viewer without beats reconnects. */
  #beat(): void {
    const beat = this.event('beat', {})
    for (const connection of this.#all) {
      if (connection.endsAt < performance.now()) connection.stream.end()
      else this.write(connection, beat)
    }
    inBackground(this.#checkAccess(), this.#log, 'checking access of streams')
  }

  /** Ends the streams of revoked sessions and tokens. Checks run one at a time. */
  async #checkAccess(): Promise<void> {
    this.#hasToCheckAgain = true
    if (this.#isChecking) return
    this.#isChecking = true
    try {
      while (this.#hasToCheckAgain) {
        this.#hasToCheckAgain = false
        await this.#checkAccessOnce()
      }
    } finally {
      this.#isChecking = false
    }
  }

  /** Checks several windows of one person once. */
  async #checkAccessOnce(): Promise<void> {
    const checked = new Map<string, boolean>()
    for (const { request, stream, workspaceId } of this.#all) {
      const { authorization, cookie } = request.headers
      const who = JSON.stringify([authorization, cookie, workspaceId])
      const isAllowed = checked.get(who) ?? (await this.#isStillAllowed(request).catch((error) => isAway(error)))
      checked.set(who, isAllowed)
      if (!isAllowed) stream.end()
    }
  }
}

export type Limit = 'process' | 'workspace' | 'person'

function ownerOf(actor: Manager): string | null {
  return personBehind(actor) ?? actor.tokenId ?? null
}
