// Feed of changes for consoles in all processes (D74): topics, and ids of messages. Changes cost nothing in a workspace that no console watches.
import { TOPICS, type Topic, WORKSPACE_TOPICS } from '../domain/topics.ts'
import { MAX_PAYLOAD_BYTES, type Notifications } from './database/notifications.ts'

export interface ChangedMessage {
  id: string
  workspaceId: string
}

/** What changed in one workspace: topics, ids of messages, and the number of further changed messages. */
export interface WorkspaceChanges {
  topics: Topic[]
  ids: string[]
  more: number
}

type Watcher = (changes: WorkspaceChanges) => void

/** Watched in place of the id of a workspace. */
export const EVERY_WORKSPACE = 'all'

/** Changes are published after FIRST_DELAY_MS, then at most once per INTERVAL_MS, so that a burst needs few notifications. */
const FIRST_DELAY_MS = 50
const INTERVAL_MS = 500
/** D43: ids per workspace and notification. */
const MAX_IDS = 100
/** Processes announce their watchers repeatedly, so that the watchers of a crashed process expire. */
const ANNOUNCE_MS = 5_000
const EXPIRES_AFTER_MS = 3 * ANNOUNCE_MS
const UUID_LENGTH = 36
const MAX_WORKSPACES_PER_PAYLOAD = Math.floor(MAX_PAYLOAD_BYTES / (UUID_LENGTH + 4)) - 4

export class ChangeFeed {
  readonly #notifications: Notifications
  /** Marks this process's own broadcasts, which it receives too. */
  readonly #name: string
  readonly #watchers = new Map<string, Set<Watcher>>()
  /** Workspaces watched in other processes, and when each entry expires. */
  readonly #watchedElsewhere = new Map<string, number>()
  #changes = new Map<string, GatheredChanges>()
  #publishTimer: NodeJS.Timeout | null = null
  #publishedAt = 0
  #announceTimer: NodeJS.Timeout | null = null

  constructor(notifications: Notifications, name: string) {
    this.#notifications = notifications
    this.#name = name
  }

  /** Subscribes to the other processes. */
  async open(): Promise<void> {
    await this.#notifications.subscribe('watching', {
      receive: (payload) => this.#receiveWatching(payload),
      resumed: () => this.#recoverFromGap(),
    })
    await this.#notifications.subscribe('changed', { receive: (payload) => this.#receiveChanged(payload) })
    this.#notifications.broadcast('watching', JSON.stringify({ by: this.#name, asks: true, workspaces: [] }))
  }

  close(): void {
    if (this.#publishTimer) clearTimeout(this.#publishTimer)
    if (this.#announceTimer) clearInterval(this.#announceTimer)
    this.#watchers.clear()
    this.#watchedElsewhere.clear()
  }

  /** To be called after the commit. `changed` runs only if any workspace has a watcher. */
  publish(changed: () => readonly ChangedMessage[]): void {
    if (!this.#isWatched) return
    for (const { id, workspaceId } of changed()) {
      for (const changes of this.#changesIn(workspaceId)) {
        changes.topics.add('messages')
        if (changes.ids.size < MAX_IDS || changes.ids.has(id)) changes.ids.add(id)
        else changes.more += 1
      }
    }
    this.#schedulePublish()
  }

  /** To be called after the commit. `changed` returns ids of workspaces, and runs only if any workspace has a watcher. */
  publishTopic(topic: Topic, changed: () => Iterable<string>): void {
    if (!this.#isWatched) return
    for (const workspaceId of changed()) {
      for (const { topics } of this.#changesIn(workspaceId)) topics.add(topic)
    }
    this.#schedulePublish()
  }

  /** To be called after the commit. Null: the change belongs to no workspace, and operators get it. */
  publishIn(workspaceId: string | null, topic: Topic): void {
    this.publishTopic(topic, () => [workspaceId ?? EVERY_WORKSPACE])
  }

  /** Returns a function that stops watching. */
  watch(workspaceId: string, watcher: Watcher): () => void {
    const watchers = this.#watchers.getOrInsertComputed(workspaceId, () => new Set())
    watchers.add(watcher)
    if (watchers.size === 1) this.#announceWatched([workspaceId])
    this.#announceTimer ??= setInterval(() => this.#announceWatched([...this.#watchers.keys()]), ANNOUNCE_MS).unref()
    return () => {
      watchers.delete(watcher)
      if (watchers.size === 0) this.#watchers.delete(workspaceId)
      if (this.#watchers.size > 0 || !this.#announceTimer) return
      clearInterval(this.#announceTimer)
      this.#announceTimer = null
    }
  }

  get #isWatched(): boolean {
    return this.#watchers.size > 0 || this.#watchedElsewhere.size > 0
  }

  /** The gathered changes of the workspace and of all workspaces, where these are watched. */
  #changesIn(workspaceId: string): GatheredChanges[] {
    const watched = workspaceId === EVERY_WORKSPACE ? [EVERY_WORKSPACE] : [workspaceId, EVERY_WORKSPACE]
    return watched
      .filter((it) => this.#watchers.has(it) || this.#watchedElsewhere.has(it))
      .map((it) => this.#changes.getOrInsertComputed(it, () => ({ topics: new Set(), ids: new Set(), more: 0 })))
  }

  #schedulePublish(): void {
    if (this.#changes.size === 0) return
    const delay = Math.max(FIRST_DELAY_MS, this.#publishedAt + INTERVAL_MS - performance.now())
    this.#publishTimer ??= setTimeout(() => this.#publishChanges(), delay)
  }

  #publishChanges(): void {
    this.#publishTimer = null
    this.#publishedAt = performance.now()
    const allChanges = this.#changes
    this.#changes = new Map()
    this.#expireWatchedElsewhere()
    for (const [workspaceId, { topics, ids, more }] of allChanges) {
      const changes: WorkspaceChanges = { topics: [...topics], ids: [...ids], more }
      for (const watcher of this.#watchers.get(workspaceId) ?? []) watcher(changes)
      if (this.#watchedElsewhere.has(workspaceId))
        this.#notifications.broadcast('changed', JSON.stringify({ by: this.#name, workspaceId, ...changes }))
    }
  }

  #announceWatched(workspaces: string[]): void {
    for (let at = 0; at < workspaces.length; at += MAX_WORKSPACES_PER_PAYLOAD) {
      const some = workspaces.slice(at, at + MAX_WORKSPACES_PER_PAYLOAD)
      this.#notifications.broadcast('watching', JSON.stringify({ by: this.#name, asks: false, workspaces: some }))
    }
  }

  #receiveWatching(payload: string): void {
    const { by, asks, workspaces } = JSON.parse(payload) as { by: string; asks: boolean; workspaces: string[] }
    if (by === this.#name) return
    for (const workspaceId of workspaces) this.#watchedElsewhere.set(workspaceId, performance.now() + EXPIRES_AFTER_MS)
    // A process that has just started asks for the workspaces watched here.
    if (asks) this.#announceWatched([...this.#watchers.keys()])
  }

  #receiveChanged(payload: string): void {
    const { by, workspaceId, ...changes } = JSON.parse(payload) as WorkspaceChanges & {
      by: string
      workspaceId: string
    }
    if (by === this.#name) return
    for (const watcher of this.#watchers.get(workspaceId) ?? []) watcher(changes)
  }

  /** Notifications may be lost while the connection was down: every watcher receives all topics and "one more change". */
  #recoverFromGap(): void {
    this.#announceWatched([...this.#watchers.keys()])
    for (const [workspaceId, watchers] of this.#watchers) {
      const topics = [...listTopics(workspaceId)]
      for (const watcher of watchers) watcher({ topics, ids: [], more: 1 })
    }
  }

  #expireWatchedElsewhere(): void {
    const now = performance.now()
    for (const [workspaceId, expiresAt] of this.#watchedElsewhere) {
      if (expiresAt < now) this.#watchedElsewhere.delete(workspaceId)
    }
  }
}

interface GatheredChanges {
  topics: Set<Topic>
  ids: Set<string>
  more: number
}

/** The topics that can change in a workspace. */
export function listTopics(workspaceId: string): readonly Topic[] {
  return workspaceId === EVERY_WORKSPACE ? TOPICS : WORKSPACE_TOPICS
}
