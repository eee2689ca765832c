// Streams topics, message updates and traffic to all viewers of this process, with one query per change for all of them (D74).
import type { FastifyBaseLogger } from 'fastify'
import type { Ports } from '../../actions/ports.ts'
import { HOUR_MS } from '../../domain/durations.ts'
import { type QuarterCounts, quarterOf } from '../../domain/message-counts.ts'
import { canSeeNumbers, canSeeTexts } from '../../domain/people/masking.ts'
import { trafficPerSecond } from '../../domain/service/traffic.ts'
import type { Topic } from '../../domain/topics.ts'
import { inBackground } from '../../runtime/log.ts'
import { Turns } from '../../runtime/turns.ts'
import { EVERY_WORKSPACE, listTopics, type WorkspaceChanges } from '../../store/change-feed.ts'
import { isAway } from '../../store/database/db.ts'
import { listQuarters } from '../../store/messages/message-counts.ts'
import { type ListedMessage, listMessages, listMessagesById } from '../../store/messages/messages.ts'
import { messageView } from '../messages/message-view.ts'
import {
  type Connection,
  type FeedOptions,
  type Limit,
  LiveConnections,
  type WatchRequest,
} from './live-connections.ts'

/** Collects changes of several processes into one query. */
const GATHER_MS = 20
/** Messages per query. Further changes are only counted. */
const MAX_SHOWN = 2_000
const TRAFFIC_MS = 1_000
/** Traffic includes final statuses of messages that were accepted within this time. */
const TRAFFIC_LOOKS_BACK_MS = HOUR_MS
/** A viewer that reconnects gets the missed changes of this many newest messages. */
const MAX_CAUGHT_UP = 200
/** Allowed clock difference between two processes. */
const OVERLAP_MS = 2_000

interface FeedSubscription {
  connections: Set<Connection>
  stopWatching: () => void
}

interface ShownChanges {
  topics: readonly Topic[]
  messages: readonly ListedMessage[]
  more: number
}

export class LiveFeed {
  readonly #catchUps = new Turns()
  readonly #ports: Ports
  readonly #log: FastifyBaseLogger
  readonly #connections: LiveConnections
  readonly #watched = new Map<string, FeedSubscription>()
  readonly #withTraffic = new Set<Connection>()
  #changes = new Map<string, WorkspaceChanges>()
  #gathering: NodeJS.Timeout | null = null
  #publishing = Promise.resolve()
  #measuring: NodeJS.Timeout | null = null
  #traffic: { quarters: QuarterCounts[]; at: number } | null = null

  constructor(ports: Ports, options: FeedOptions) {
    this.#ports = ports
    this.#log = options.log
    this.#connections = new LiveConnections(ports, options)
  }

  /** Which limit is reached, or null. */
  findLimit(watching: Pick<WatchRequest, 'actor' | 'workspaceId'>): Limit | null {
    return this.#connections.findLimit(watching)
  }

  /** `since` is the time of the viewer's last event, after a reconnect. */
  add(watching: WatchRequest, since: Date | null): void {
    const connection = this.#connections.add(watching, (closed) => this.#remove(closed))
    for (const workspaceId of watchedBy(connection)) {
      const watched = this.#watched.getOrInsertComputed(workspaceId, () => ({
        connections: new Set<Connection>(),
        stopWatching: this.#ports.changeFeed.watch(workspaceId, (changes) => this.#receive(workspaceId, changes)),
      }))
      watched.connections.add(connection)
    }
    if (connection.hasTraffic) {
      this.#withTraffic.add(connection)
      const measure = () => inBackground(this.#measure(), this.#log, 'measuring traffic')
      this.#measuring ??= setInterval(measure, TRAFFIC_MS).unref()
    }
    if (!since) return
    const caughtUp = this.#logErrors(() => this.#catchUp(connection, since))
    inBackground(caughtUp, this.#log, 'sending missed changes')
  }

  #remove(connection: Connection): void {
    for (const workspaceId of watchedBy(connection)) {
      const watched = this.#watched.get(workspaceId)
      watched?.connections.delete(connection)
      if (watched?.connections.size !== 0) continue
      watched.stopWatching()
      this.#watched.delete(workspaceId)
    }
    this.#withTraffic.delete(connection)
    if (this.#withTraffic.size === 0) this.#stopMeasuring()
  }

  #receive(workspaceId: string, { topics, ids, more }: WorkspaceChanges): void {
    const known = this.#changes.get(workspaceId)
    const all = [...(known?.ids ?? []), ...ids]
    this.#changes.set(workspaceId, {
      topics: [...new Set([...(known?.topics ?? []), ...topics])],
      // While the database is slow, changes gather here without a query.
      ids: all.slice(0, MAX_SHOWN),
      more: (known?.more ?? 0) + more + Math.max(0, all.length - MAX_SHOWN),
    })
    this.#gathering ??= setTimeout(() => {
      this.#gathering = null
      // One query at a time: changes during a slow query share the next one.
      this.#publishing = this.#publishing.then(() => this.#logErrors(() => this.#publish()))
    }, GATHER_MS).unref()
  }

  async #publish(): Promise<void> {
    const changes = this.#changes
    this.#changes = new Map()
    const shows = (workspaceId: string) =>
      this.#watched
        .get(workspaceId)
        ?.connections.values()
        .some((it) => it.messagesOf === workspaceId) ?? false
    const ids = [...new Set([...changes].flatMap(([workspaceId, it]) => (shows(workspaceId) ? it.ids : [])))]
    const messages = ids.length > 0 ? await listMessagesById(this.#ports.db, ids.slice(0, MAX_SHOWN)) : []
    for (const [workspaceId, changed] of changes) {
      const { topics, more } = changed
      const named = new Set(changed.ids)
      const isVisible = (it: ListedMessage) => workspaceId === EVERY_WORKSPACE || workspaceId === it.workspaceId
      const shown = messages.filter((it) => named.has(it.id) && isVisible(it))
      const beyond = ids.length > MAX_SHOWN ? named.size - shown.length : 0
      const connections = this.#watched.get(workspaceId)?.connections ?? []
      this.#send(connections, workspaceId, { topics, messages: shown, more: more + beyond })
    }
  }

  /** Serializes events once for all viewers that get the same. */
  #send(connections: Iterable<Connection>, workspaceId: string, { topics, messages, more }: ShownChanges): void {
    const written = new Map<string, string>()
    for (const connection of connections) {
      const { actor } = connection
      const hasMessages = connection.messagesOf === workspaceId && (messages.length > 0 || more > 0)
      const hasTopics = connection.workspaceId === workspaceId && topics.length > 0
      const same = JSON.stringify([hasMessages, hasTopics, canSeeNumbers(actor), canSeeTexts(actor)])
      const events = written.getOrInsertComputed(same, () => {
        const items = hasMessages ? messages.map((it) => messageView(it, actor)) : []
        return [
          hasMessages ? this.#connections.event('messages', { items, more }) : '',
          hasTopics ? this.#connections.event('changed', { topics }) : '',
        ].join('')
      })
      if (events) this.#connections.write(connection, events)
    }
  }

  async #catchUp(connection: Connection, since: Date): Promise<void> {
    const { workspaceId, messagesOf } = connection
    this.#send([connection], workspaceId, { topics: listTopics(workspaceId), messages: [], more: 0 })
    if (messagesOf === null) return
    const everything = {
      clientId: null,
      statuses: [],
      type: null,
      country: null,
      carrier: null,
      to: null,
      search: null,
    }
    const page = { since: null, until: null, before: null, limit: MAX_CAUGHT_UP }
    const within = { workspaceId: messagesOf === EVERY_WORKSPACE ? null : messagesOf }
    // D43: a viewer who reconnects in a loop waits for itself, and on the connections of its role.
    const rows = await this.#catchUps.run(messagesOf, async () => {
      if (connection.stream.destroyed) return []
      const db = this.#ports.managementDb(connection.actor)
      return (await listMessages(db, { ...within, ...everything, ...page })).rows
    })
    const from = since.getTime() - OVERLAP_MS
    const messages = rows.filter((it) => it.updatedAt.getTime() >= from)
    // Older messages may have changed as well; `more` makes the viewer reload them.
    const more = messages.length === MAX_CAUGHT_UP ? 1 : 0
    this.#send([connection], messagesOf, { topics: [], messages, more })
  }

  async #measure(): Promise<void> {
    const now = this.#ports.clock.now()
    const since = quarterOf(new Date(now.getTime() - TRAFFIC_LOOKS_BACK_MS))
    await this.#logErrors(async () => {
      const looked = {
        quarters: (await listQuarters(this.#ports.db, { workspaceId: null, since })).counts,
        at: performance.now(),
      }
      const before = this.#traffic
      this.#traffic = looked
      if (!before) return
      const perSecond = trafficPerSecond(before.quarters, looked.quarters, (looked.at - before.at) / 1000)
      const event = this.#connections.event('traffic', perSecond)
      for (const connection of this.#withTraffic) this.#connections.write(connection, event)
    })
  }

  #stopMeasuring(): void {
    if (this.#measuring) clearInterval(this.#measuring)
    this.#measuring = null
    this.#traffic = null
  }

  /** A failed update is not repeated: viewers get the message with its next change, or reload. */
  async #logErrors(work: () => Promise<void>): Promise<void> {
    await work().catch((error) => {
      if (!isAway(error)) this.#log.warn({ err: error }, 'sending live updates failed')
    })
  }
}

/** The workspaces whose changes the viewer gets. */
function watchedBy({ workspaceId, messagesOf }: Connection): Set<string> {
  return new Set(messagesOf === null ? [workspaceId] : [workspaceId, messagesOf])
}
