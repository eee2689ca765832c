// Messages as they change, to everybody of this process who watches: one look at the database serves them all, and only when
// something has changed.
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

/** D43: in each process, of one workspace and in all. */
export const MOST_OF_WORKSPACE = 20
const MOST_IN_ALL = 1_000
/** How long after the connection broke a browser tries again. */
const RETRY_MS = 2_000
/** News of several processes that come at once are looked up at once. */
const GATHER_MS = 20
/** In one look. Of what is beyond that, as of what a workspace has too much of, only the number is told. */
const MOST_SHOWN = 2_000
/** Proxies hang up on what is silent; so often it is also seen whether whoever watches still may. */
const BEAT_MS = 15_000
/** Then a browser connects again, to any process. */
const LONGEST_MS = 30 * 60_000
/** What somebody has not read yet is kept for it up to this; then it is hung up on. */
const MOST_UNREAD_BYTES = 256 * 1024
const TRAFFIC_MS = 1_000
/** What was accepted before that is not seen any more as it ends. */
const TRAFFIC_LOOKS_BACK_MS = 3_600_000
/** Who comes back is shown what changed meanwhile of the newest so many. */
const MOST_CAUGHT_UP = 200
/** Clocks of two processes differ a little. */
const OVERLAP_MS = 2_000

interface Watching {
  request: FastifyRequest
  stream: ServerResponse
  actor: Manager
  /** null: the traffic of all of the service. */
  workspaceId: string | null
}

interface Connection extends Watching {
  endsAt: number
}

interface Watched {
  connections: Set<Connection>
  stopWatching: () => void
}

interface Looking {
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
  readonly #watched = new Map<string, Watched>()
  readonly #ofService = new Set<Connection>()
  #news = new Map<string, WorkspaceChanges>()
  #gathering: NodeJS.Timeout | null = null
  #looking = Promise.resolve()
  #beating: NodeJS.Timeout | null = null
  #isJudging = false
  #hasToJudgeAgain = false
  #hearing: Promise<void> | null = null
  #measuring: NodeJS.Timeout | null = null
  #traffic: { quarters: QuarterCounts[]; at: number } | null = null

  constructor(ports: Ports, { log, leaving, isStillAllowed }: Looking) {
    this.#ports = ports
    this.#log = log
    this.#leaving = leaving
    this.#isStillAllowed = isStillAllowed
    leaving.addEventListener('abort', () => {
      for (const { stream } of this.#all) stream.end()
    })
  }

  /** Why nobody more can watch it, or null. */
  fullBecause(workspaceId: string | null): 'workspace' | 'process' | null {
    if (this.#leaving.aborted || this.#all.size >= MOST_IN_ALL) return 'process'
    const { size = 0 } = (workspaceId && this.#watched.get(workspaceId)?.connections) || {}
    return size >= MOST_OF_WORKSPACE ? 'workspace' : null
  }

  /** `since` is when it was last told anything, where it has watched before. */
  add(watching: Watching, since: Date | null): void {
    const connection: Connection = { ...watching, endsAt: performance.now() + LONGEST_MS }
    const { workspaceId, stream } = watching
    this.#all.add(connection)
    stream.once('close', () => this.#remove(connection))
    stream.on('error', () => {})
    this.#write(connection, `retry: ${RETRY_MS}\n${this.#event('open', {})}`)
    // A notification may be lost; the beat judges as well.
    const recheck = () => inBackground(this.#judgeAll(), this.#log, 'checking who may still watch')
    this.#hearing ??= this.#ports.notifications.subscribe(ACCESS_SUBJECT, { receive: recheck, resumed: recheck })
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
      stopWatching: this.#ports.messageFeed.watch(workspaceId, (news) => this.#hear(workspaceId, news)),
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

  #hear(workspaceId: string, { ids, more }: WorkspaceChanges): void {
    const known = this.#news.get(workspaceId)
    this.#news.set(workspaceId, { ids: [...(known?.ids ?? []), ...ids], more: (known?.more ?? 0) + more })
    this.#gathering ??= setTimeout(() => {
      this.#gathering = null
      // One look at a time: what comes while the database is slow is looked up together.
      this.#looking = this.#looking.then(() => this.#quietly(() => this.#show()))
    }, GATHER_MS).unref()
  }

  async #show(): Promise<void> {
    const news = this.#news
    this.#news = new Map()
    const ids = [...new Set([...news.values()].flatMap((it) => it.ids))]
    const messages = ids.length > 0 ? await listMessagesById(this.#ports.db, ids.slice(0, MOST_SHOWN)) : []
    const ofWorkspace = Map.groupBy(messages, (it) => it.workspaceId)
    for (const [workspaceId, { ids: named, more }] of news) {
      const shown = ofWorkspace.get(workspaceId) ?? []
      const beyond = ids.length > MOST_SHOWN ? new Set(named).size - shown.length : 0
      this.#tell(this.#watched.get(workspaceId)?.connections ?? [], shown, more + beyond)
    }
  }

  /** Written once for all who see the same of it. */
  #tell(connections: Iterable<Connection>, messages: ListedMessage[], more: number): void {
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
    const page = { before: null, limit: MOST_CAUGHT_UP }
    const { rows } = await listMessages(this.#ports.db, { workspaceId, ...everything, ...page })
    const from = since.getTime() - OVERLAP_MS
    const changed = rows.filter((it) => it.updatedAt.getTime() >= from)
    // Older ones may have changed as well; whoever shows such looks for itself.
    if (changed.length > 0) this.#tell([connection], changed, changed.length === MOST_CAUGHT_UP ? 1 : 0)
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
    inBackground(this.#judgeAll(), this.#log, 'checking who may still watch')
  }

  /** A session or token that was revoked sees nothing more. One after the other, and of many windows of one person once. */
  async #judgeAll(): Promise<void> {
    this.#hasToJudgeAgain = true
    if (this.#isJudging) return
    this.#isJudging = true
    try {
      while (this.#hasToJudgeAgain) {
        this.#hasToJudgeAgain = false
        await this.#judgeOnce()
      }
    } finally {
      this.#isJudging = false
    }
  }

  async #judgeOnce(): Promise<void> {
    const judged = new Map<string, boolean>()
    for (const { request, stream, workspaceId } of this.#all) {
      const { authorization, cookie } = request.headers
      const who = JSON.stringify([authorization, cookie, workspaceId])
      const isAllowed = judged.get(who) ?? (await this.#isStillAllowed(request).catch((fault) => isAway(fault)))
      judged.set(who, isAllowed)
      if (!isAllowed) stream.end()
    }
  }

  #event(name: string, data: object): string {
    return `id: ${this.#ports.clock.now().getTime()}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`
  }

  #write({ stream }: Connection, text: string): void {
    if (stream.writableEnded || stream.destroyed) return
    stream.write(text)
    if (stream.writableLength > MOST_UNREAD_BYTES) stream.destroy()
  }

  /** What fails now is told with what changes next, or when somebody looks for itself. */
  async #quietly(work: () => Promise<void>): Promise<void> {
    await work().catch((fault) => {
      if (!isAway(fault)) this.#log.warn({ err: fault }, 'those who watch messages could not be told of changes')
    })
  }
}
