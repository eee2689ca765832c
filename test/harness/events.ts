// Server-sent events as a browser reads them.
import { after } from 'node:test'
import { OPERATOR_TOKEN } from './service.ts'
import { until } from './until.ts'

interface LiveEvent {
  id: string
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape themselves
  data: any
}

export class EventReader {
  readonly events: LiveEvent[] = []
  status = 0
  headers = new Headers()
  text = ''
  isOver = false
  #error: unknown = null
  readonly #gone = new AbortController()

  constructor(
    url: string,
    { token = OPERATOR_TOKEN, cookie, lastEventId }: { token?: string; cookie?: string; lastEventId?: string } = {},
  ) {
    const headers = {
      ...(cookie === undefined ? { authorization: `Bearer ${token}` } : { cookie }),
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    }
    this.#read(url, headers).catch((error) => {
      if (!this.#gone.signal.aborted) this.#error = error
      this.isOver = true
    })
    after(() => this.close())
  }

  close(): void {
    this.#gone.abort()
  }

  /** Resolves when the subscription is active. */
  async open(): Promise<this> {
    await until(() => this.isOver || this.events.some((it) => it.event === 'open'))
    if (this.#error) throw this.#error
    return this
  }

  /** The latest event of a message. */
  latest(id: string) {
    return this.events.flatMap((it) => it.data.items ?? []).findLast((it: { id: string }) => it.id === id)
  }

  async #read(url: string, headers: Record<string, string>): Promise<void> {
    const response = await fetch(url, { headers, signal: this.#gone.signal })
    this.status = response.status
    this.headers = response.headers
    const decoder = new TextDecoder()
    let rest = ''
    for await (const piece of response.body ?? []) {
      const text = decoder.decode(piece, { stream: true })
      rest += text
      this.text += text
      const whole = rest.split('\n\n')
      rest = whole.pop() ?? ''
      for (const block of whole) this.#take(block)
    }
    this.isOver = true
  }

  #take(block: string): void {
    const fields = Object.fromEntries(
      block.split('\n').map((line) => /^(\w*): ?(.*)$/.exec(line)?.slice(1) ?? ['', '']),
    )
    if (fields.event) this.events.push({ id: fields.id, event: fields.event, data: JSON.parse(fields.data) })
  }
}
