// Feed of changed messages for consoles in all processes. Traffic costs nothing in a workspace that no console watches.
import { MAX_PAYLOAD_BYTES, type Notifications } from '../database/notifications.ts'

export interface ChangedMessage {
  id: string
  workspaceId: string
}

/** Ids of changed messages in one workspace, and the number of further changed messages. */
export interface WorkspaceChanges {
  ids: string[]
  more: number
}

type Watcher = (changes: WorkspaceChanges) => void

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

export class MessageFeed {
  readonly #notifications: Notifications
  /** Marks this process's own broadcasts, which it receives too. */
  readonly #name: string
  readonly #watchers = new Map<string, Set<Watcher>>()
  /** Workspaces watched in other processes, and when each entry expires. */
  readonly #watchedElsewhere = new Map<string, number>()
  #changes = new Map<string, { ids: Set<string>; more: number }>()
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
    if (this.#watchers.size === 0 && this.#watchedElsewhere.size === 0) return
    for (const { id, workspaceId } of changed()) {
      if (!this.#watchers.has(workspaceId) && !this.#watchedElsewhere.has(workspaceId)) continue
      const changes = this.#changes.getOrInsertComputed(workspaceId, () => ({ ids: new Set<string>(), more: 0 }))
      if (changes.ids.size < MAX_IDS || changes.ids.has(id)) changes.ids.add(id)
      else changes.more += 1
    }
    if (this.#changes.size === 0) return
    const delay = Math.max(FIRST_DELAY_MS, this.#publishedAt + INTERVAL_MS - performance.now())
    this.#publishTimer ??= setTimeout(() => this.#publishChanges(), delay)
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

  #publishChanges(): void {
    this.#publishTimer = null
    this.#publishedAt = performance.now()
    const allChanges = this.#changes
    this.#changes = new Map()
    this.#expireWatchedElsewhere()
    for (const [workspaceId, { ids, more }] of allChanges) {
      const changes: WorkspaceChanges = { ids: [...ids], more }
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

  /** Notifications may be lost while the connection was down: every watcher receives "one more change". */
  #recoverFromGap(): void {
    this.#announceWatched([...this.#watchers.keys()])
    for (const watchers of this.#watchers.values()) for (const watcher of watchers) watcher({ ids: [], more: 1 })
  }

  #expireWatchedElsewhere(): void {
    const now = performance.now()
    for (const [workspaceId, expiresAt] of this.#watchedElsewhere) {
      if (expiresAt < now) this.#watchedElsewhere.delete(workspaceId)
    }
  }
}
