// Which messages have changed, for whoever watches their workspace: told by whoever stores them, within the process or from one to
// another. While nobody watches a workspace nothing is told of it, so that traffic pays nothing for consoles that are not open.
import { LONGEST_PAYLOAD, type Notifications } from '../database/notifications.ts'

export interface Touched {
  id: string
  workspaceId: string
}

/** Of one workspace: some that changed, and how many did beside these. */
export interface News {
  ids: string[]
  more: number
}

type Hear = (news: News) => void

/** At first soon, then no more often than this: who looks at a screen sees no difference, and a flood is told in few pieces. */
const SOON_MS = 50
const PAUSE_MS = 500
/** D43: of one workspace so many are named at a time. Of more nobody reads the rows that fly past. */
const MOST_NAMED = 100
/** Who watches says so again and again: one that died is forgotten. */
const SAY_AGAIN_MS = 5_000
const FORGOTTEN_AFTER_MS = 3 * SAY_AGAIN_MS
const UUID_LENGTH = 36
const MOST_IN_A_WORD = Math.floor(LONGEST_PAYLOAD / (UUID_LENGTH + 4)) - 4

export class MessageNews {
  readonly #notifications: Notifications
  /** Which process speaks: what one tells all it hears itself. */
  readonly #name: string
  readonly #watchers = new Map<string, Set<Hear>>()
  /** Workspaces that other processes watch, and until when that is good. */
  readonly #elsewhere = new Map<string, number>()
  #news = new Map<string, { ids: Set<string>; more: number }>()
  #timer: NodeJS.Timeout | null = null
  #toldAt = 0
  #saying: NodeJS.Timeout | null = null

  constructor(notifications: Notifications, name: string) {
    this.#notifications = notifications
    this.#name = name
  }

  /** Begins to listen to other processes. */
  async open(): Promise<void> {
    await this.#notifications.subscribe('watching', {
      receive: (word) => this.#heardWatching(word),
      resumed: () => this.#missed(),
    })
    await this.#notifications.subscribe('changed', { receive: (word) => this.#heardChanged(word) })
    this.#notifications.broadcast('watching', JSON.stringify({ by: this.#name, asks: true, workspaces: [] }))
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer)
    if (this.#saying) clearInterval(this.#saying)
    this.#watchers.clear()
    this.#elsewhere.clear()
  }

  /** After the commit; asked for only where somebody watches anything. */
  tell(changed: () => readonly Touched[]): void {
    if (this.#watchers.size === 0 && this.#elsewhere.size === 0) return
    for (const { id, workspaceId } of changed()) {
      if (!this.#watchers.has(workspaceId) && !this.#elsewhere.has(workspaceId)) continue
      const news = this.#news.getOrInsertComputed(workspaceId, () => ({ ids: new Set<string>(), more: 0 }))
      if (news.ids.size < MOST_NAMED || news.ids.has(id)) news.ids.add(id)
      else news.more += 1
    }
    if (this.#news.size === 0) return
    this.#timer ??= setTimeout(() => this.#tellAll(), Math.max(SOON_MS, this.#toldAt + PAUSE_MS - performance.now()))
  }

  /** Returns how to stop watching. */
  watch(workspaceId: string, hear: Hear): () => void {
    const watchers = this.#watchers.getOrInsertComputed(workspaceId, () => new Set())
    watchers.add(hear)
    if (watchers.size === 1) this.#sayWatching([workspaceId])
    this.#saying ??= setInterval(() => this.#sayWatching([...this.#watchers.keys()]), SAY_AGAIN_MS).unref()
    return () => {
      watchers.delete(hear)
      if (watchers.size === 0) this.#watchers.delete(workspaceId)
      if (this.#watchers.size > 0 || !this.#saying) return
      clearInterval(this.#saying)
      this.#saying = null
    }
  }

  #tellAll(): void {
    this.#timer = null
    this.#toldAt = performance.now()
    const news = this.#news
    this.#news = new Map()
    this.#forget()
    for (const [workspaceId, { ids, more }] of news) {
      const told: News = { ids: [...ids], more }
      for (const hear of this.#watchers.get(workspaceId) ?? []) hear(told)
      if (this.#elsewhere.has(workspaceId))
        this.#notifications.broadcast('changed', JSON.stringify({ by: this.#name, workspaceId, ...told }))
    }
  }

  #sayWatching(workspaces: string[], asks = false): void {
    for (let at = 0; at < workspaces.length; at += MOST_IN_A_WORD) {
      const some = workspaces.slice(at, at + MOST_IN_A_WORD)
      this.#notifications.broadcast('watching', JSON.stringify({ by: this.#name, asks, workspaces: some }))
    }
  }

  #heardWatching(word: string): void {
    const { by, asks, workspaces } = JSON.parse(word) as { by: string; asks: boolean; workspaces: string[] }
    if (by === this.#name) return
    for (const workspaceId of workspaces) this.#elsewhere.set(workspaceId, performance.now() + FORGOTTEN_AFTER_MS)
    // Somebody has just begun, and does not know yet who watches.
    if (asks) this.#sayWatching([...this.#watchers.keys()])
  }

  #heardChanged(word: string): void {
    const { by, workspaceId, ...news } = JSON.parse(word) as News & { by: string; workspaceId: string }
    if (by === this.#name) return
    for (const hear of this.#watchers.get(workspaceId) ?? []) hear(news)
  }

  /** What other processes told meanwhile nobody has heard: those who watch are told that there may be more. */
  #missed(): void {
    this.#sayWatching([...this.#watchers.keys()])
    for (const watchers of this.#watchers.values()) for (const hear of watchers) hear({ ids: [], more: 1 })
  }

  #forget(): void {
    const now = performance.now()
    for (const [workspaceId, until] of this.#elsewhere) if (until < now) this.#elsewhere.delete(workspaceId)
  }
}
