// Streams message updates and traffic to all viewers of this process, with one query per change for all of them.
import type { ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { ACCESS_SUBJECT } from '../../actions/people/access.ts'
import type { Ports } from '../../actions/ports.ts'
import { type QuarterCounts, quarterOf } from '../../domain/hours.ts'
import type { Manager } from '../../domain/people/actor.ts'
import { canSeeNumbers, canSeeTexts } from '../../domain/people/masking.ts'
import { trafficPerSecond } from '../../domain/service/traffic.ts'
import { inBackground } from '../../runtime/log.ts'
import { isAway } from '../../store/database/db.ts'
import type { WorkspaceChanges } from '../../store/messages/message-feed.ts'
import { listQuarters } from '../../store/messages/message-quarters.ts'
import { type ListedMessage, listMessages, listMessagesById } from '../../store/messages/messages.ts'
import type { IsStillAllowed } from '../authenticate.ts'
import { messageView } from './message-view.ts'

/** D43: streams per process, of one workspace and in total. */
export const MAX_PER_WORKSPACE = 20
const MAX_TOTAL = 1_000
/** How long a browser waits before it reconnects. */
const RETRY_MS = 2_000
/** Collects changes of several processes into one query. */
const GATHER_MS = 20
/** Messages per query. Further changes are only counted. */
const MAX_SHOWN = 2_000
/** Interval of keep-alives for proxies, and of the check whether viewers still have access. */
const BEAT_MS = 15_000
/** A stream ends after this time; the browser reconnects to any process. */
const MAX_MS = 30 * 60_000
/** A viewer with more unread bytes is disconnected. */
const MAX_UNREAD_BYTES = 256 * 1024
const TRAFFIC_MS = 1_000
/** Traffic includes final statuses of messages that were accepted within this time. */
const TRAFFIC_LOOKS_BACK_MS = 3_600_000
/** A viewer that reconnects gets the missed changes of this many newest messages. */
const MAX_CAUGHT_UP = 200
/** Allowed clock difference between two processes. */
const OVERLAP_MS = 2_000

interface WatchRequest {
  request: FastifyRequest
  stream: ServerResponse
  actor: Manager
  /** null: the traffic of the whole service. */
  workspaceId: string | null
}

interface Connection extends WatchRequest {
  endsAt: number
}

interface FeedSubscription {
  connections: Set<Connection>
  stopWatching: () => void
}

interface FeedOptions {
  log: FastifyBaseLogger
  leaving: AbortSignal
  isStillAllowed: IsStillAllowed
}

export class LiveFeed {
  readonly #ports: Ports
  readonly #log: FastifyBaseLogger
  readonly #leaving: AbortSignal
  readonly #isStillAllowed: IsStillAllowed
  readonly #all = new Set<Connection>()
  readonly #watched = new Map<string, FeedSubscription>()
  readonly #ofService = new Set<Connection>()
  #changes = new Map<string, WorkspaceChanges>()
  #gathering: NodeJS.Timeout | null = null
  #publishing = Promise.resolve()
  #beating: NodeJS.Timeout | null = null
  #isChecking = false
  #hasToCheckAgain = false
  #subscription: Promise<void> | null = null
  #measuring: NodeJS.Timeout | null = null
  #traffic: { quarters: QuarterCounts[]; at: number } | null = null

  constructor(ports: Ports, { log, leaving, isStillAllowed }: FeedOptions) {
    this.#ports = ports
    this.#log = log
    this.#leaving = leaving
    this.#isStillAllowed = isStillAllowed
    leaving.addEventListener('abort', () => {
      for (const { stream } of this.#all) stream.end()
    })
  }

  /** Which limit is reached, or null. */
  fullBecause(workspaceId: string | null): 'workspace' | 'process' | null {
    if (this.#leaving.aborted || this.#all.size >= MAX_TOTAL) return 'process'
    const { size = 0 } = (workspaceId && this.#watched.get(workspaceId)?.connections) || {}
    return size >= MAX_PER_WORKSPACE ? 'workspace' : null
  }

  /** `since` is the time of the viewer's last event, after a reconnect. */
  add(watching: WatchRequest, since: Date | null): void {
    const connection: Connection = { ...watching, endsAt: performance.now() + MAX_MS }
    const { workspaceId, stream } = watching
    this.#all.add(connection)
    stream.once('close', () => this.#remove(connection))
    stream.on('error', () => {})
    this.#write(connection, `retry: ${RETRY_MS}\n${this.#event('open', {})}`)
    // A notification can be lost, so every beat checks as well.
    const recheck = () => inBackground(this.#checkAccess(), this.#log, 'checking access of streams')
    this.#subscription ??= this.#ports.notifications.subscribe(ACCESS_SUBJECT, { receive: recheck, resumed: recheck })
    this.#beating ??= setInterval(() => this.#beat(), BEAT_MS).unref()
    if (workspaceId === null) {
      this.#ofService.add(connection)
      this.#measuring ??= setInterval(
        () => inBackground(this.#measure(), this.#log, 'measuring traffic'),
        TRAFFIC_MS,
      ).unref()
      return
    }
    const watched = this.#watched.getOrInsertComputed(workspaceId, () => ({
      connections: new Set<Connection>(),
      stopWatching: this.#ports.messageFeed.watch(workspaceId, (changes) => this.#receive(workspaceId, changes)),
    }))
    watched.connections.add(connection)
    if (!since) return
    const caughtUp = this.#quietly(() => this.#catchUp(connection, workspaceId, since))
    inBackground(caughtUp, this.#log, 'sending missed changes')
  }

  #remove(connection: Connection): void {
    this.#all.delete(connection)
    this.#ofService.delete(connection)
    const { workspaceId } = connection
    const watched = workspaceId === null ? undefined : this.#watched.get(workspaceId)
    watched?.connections.delete(connection)
    if (workspaceId !== null && watched?.connections.size === 0) {
      watched.stopWatching()
      this.#watched.delete(workspaceId)
    }
    if (this.#ofService.size === 0) this.#stopMeasuring()
    if (this.#all.size > 0 || !this.#beating) return
    clearInterval(this.#beating)
    this.#beating = null
  }

  #receive(workspaceId: string, { ids, more }: WorkspaceChanges): void {
    const known = this.#changes.get(workspaceId)
    this.#changes.set(workspaceId, { ids: [...(known?.ids ?? []), ...ids], more: (known?.more ?? 0) + more })
    this.#gathering ??= setTimeout(() => {
      this.#gathering = null
      // One query at a time: changes during a slow query share the next one.
      this.#publishing = this.#publishing.then(() => this.#quietly(() => this.#publish()))
    }, GATHER_MS).unref()
  }

  async #publish(): Promise<void> {
    const changes = this.#changes
    this.#changes = new Map()
    const ids = [...new Set([...changes.values()].flatMap((it) => it.ids))]
    const messages = ids.length > 0 ? await listMessagesById(this.#ports.db, ids.slice(0, MAX_SHOWN)) : []
    const ofWorkspace = Map.groupBy(messages, (it) => it.workspaceId)
    for (const [workspaceId, { ids: named, more }] of changes) {
      const shown = ofWorkspace.get(workspaceId) ?? []
      const beyond = ids.length > MAX_SHOWN ? new Set(named).size - shown.length : 0
      this.#send(this.#watched.get(workspaceId)?.connections ?? [], shown, more + beyond)
    }
  }

  /** Serializes an event once for all viewers with the same masking. */
  #send(connections: Iterable<Connection>, messages: ListedMessage[], more: number): void {
    const written = new Map<string, string>()
    for (const connection of connections) {
      const { actor } = connection
      const event = written.getOrInsertComputed(`${canSeeNumbers(actor)} ${canSeeTexts(actor)}`, () =>
        this.#event('messages', { items: messages.map((it) => messageView(it, actor)), more }),
      )
      this.#write(connection, event)
    }
  }

  async #catchUp(connection: Connection, workspaceId: string, since: Date): Promise<void> {
    const everything = { clientId: null, statuses: [], type: null, to: null, since: null, until: null, search: null }
    const page = { before: null, limit: MAX_CAUGHT_UP }
    const { rows } = await listMessages(this.#ports.db, { workspaceId, ...everything, ...page })
    const from = since.getTime() - OVERLAP_MS
    const changed = rows.filter((it) => it.updatedAt.getTime() >= from)
    // Older messages may have changed as well; `more` makes the viewer reload them.
    if (changed.length > 0) this.#send([connection], changed, changed.length === MAX_CAUGHT_UP ? 1 : 0)
  }

  async #measure(): Promise<void> {
    const now = this.#ports.clock.now()
    const since = quarterOf(new Date(now.getTime() - TRAFFIC_LOOKS_BACK_MS))
    await this.#quietly(async () => {
      const looked = {
        quarters: await listQuarters(this.#ports.db, { workspaceId: null, since }),
        at: performance.now(),
      }
      const before = this.#traffic
      this.#traffic = looked
      if (!before) return
      const event = this.#event(
        'traffic',
        trafficPerSecond(before.quarters, looked.quarters, (looked.at - before.at) / 1000),
      )
      for (const connection of this.#ofService) this.#write(connection, event)
    })
  }

  #stopMeasuring(): void {
    if (this.#measuring) clearInterval(this.#measuring)
    this.#measuring = null
    this.#traffic = null
  }

  #beat(): void {
    for (const connection of this.#all) {
      if (connection.endsAt < performance.now()) connection.stream.end()
      else this.#write(connection, ':\n\n')
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

  #event(name: string, data: object): string {
    return `id: ${this.#ports.clock.now().getTime()}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`
  }

  #write({ stream }: Connection, text: string): void {
    if (stream.writableEnded || stream.destroyed) return
    stream.write(text)
    if (stream.writableLength > MAX_UNREAD_BYTES) stream.destroy()
  }

  /** A failed update is not repeated: viewers get the message with its next change, or reload. */
  async #quietly(work: () => Promise<void>): Promise<void> {
    await work().catch((error) => {
      if (!isAway(error)) this.#log.warn({ err: error }, 'sending message updates failed')
    })
  }
}
