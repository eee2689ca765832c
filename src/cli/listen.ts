// `hulaki listen`: shows each webhook event of a client when it is created and when its delivery is final, or forwards the events.
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyJson } from './command.ts'
import { type CliContext, EXIT, NO_ANSWER, UsageError } from './context.ts'
import { forward, readForwardTo } from './forward.ts'
import { MAX_PAGE_SIZE, type ManagementApi } from './management-api.ts'
import { checkPathSegment, get, type ParsedCommand } from './request.ts'
import { resolveId } from './resolve-ids.ts'
import { isOutcomeUnknown } from './service.ts'
import { formatValue, jsonLine } from './table.ts'
import { readSecret } from './values.ts'

const POLL_MS = 1000
/** How far back deliveries are checked for their final state. */
const MAX_PAGES = 5
/** Sorts after every ID. */
const AFTER_ALL = '~'

/** Ctrl-C stops the command without waiting for a response. */
export async function listen(api: ManagementApi, parsed: ParsedCommand, context: CliContext): Promise<number> {
  const stopped = Promise.withResolvers<void>()
  context.signal.addEventListener('abort', () => stopped.resolve())
  if (context.signal.aborted) stopped.resolve()
  const running = showOrForward(api, parsed, context).catch((error) => {
    if (!context.signal.aborted) throw error
  })
  // A forwarder ends its session on the service first.
  const isForwarding = parsed.values['forward-to'] !== undefined
  await Promise.race([running, stopped.promise.then(() => (isForwarding ? running : undefined))])
  return EXIT.done
}

async function showOrForward(api: ManagementApi, parsed: ParsedCommand, context: CliContext): Promise<void> {
  const { values, common, positionals } = parsed
  const { json } = common
  const { 'forward-to': to, 'secret-file': file, 'take-over': takeOver } = values
  const findId = () => resolveId('client', checkPathSegment('client', positionals[0] ?? ''), { api, ids: new Map() })
  if (to === undefined) {
    const orphanOption = ['secret-file', 'take-over'].find((name) => values[name] !== undefined)
    if (orphanOption !== undefined) throw new UsageError(`--${orphanOption} requires --forward-to.`)
    return showEvents(api, { clientId: await findId(), json }, context)
  }
  const given = file === undefined ? context.secret('HULAKI_WEBHOOK_SECRET') : readSecret(String(file), context)
  const url = readForwardTo(String(to))
  const clientId = await findId()
  const secret = given ?? `whsec_${api.secretFor(`listen ${clientId}`)}`
  return forward(api, { clientId, to: url, secret, takeOver: takeOver === true, json }, context)
}

async function showEvents(
  api: ManagementApi,
  { clientId, json }: { clientId: string; json: boolean },
  { out, err, signal }: CliContext,
): Promise<void> {
  const path = `/clients/${encodeURIComponent(clientId)}`
  const { webhookUrl } = await api.request(get(path))
  if (webhookUrl === null)
    err('This client has no webhook URL, so no events are created. Use --forward-to to receive events without one.')
  const events = new Events(api, `${path}/webhook-deliveries`)
  await events.poll()
  if (!json) err('Listening; stop with Ctrl-C.')
  let isUnreachable = false
  while (await waitForNextPoll(signal)) {
    try {
      for (const event of await events.poll()) out(json ? jsonLine(event) : formatEvent(event))
      isUnreachable = false
    } catch (error) {
      if (!(error instanceof Error && isOutcomeUnknown(error))) throw error
      if (!isUnreachable && !signal.aborted) err(unreachableLine(error.message, json))
      isUnreachable = true
    }
  }
}

function unreachableLine(why: string, json: boolean): string {
  return json ? jsonLine({ error: why, code: NO_ANSWER }) : `${why} Retrying every second.`
}

class Events {
  readonly #api: ManagementApi
  readonly #path: string
  /** The last state by id. */
  readonly #known = new Map<string, string>()
  /** Ignores events up to this ID: they precede this run or left the window. Null until the first poll. */
  #floor: string | null = null

  constructor(api: ManagementApi, path: string) {
    this.#api = api
    this.#path = path
  }

  /** New and changed events, oldest first. The first poll returns none. */
  async poll(): Promise<AnyJson[]> {
    const found: AnyJson[] = []
    const pending = [...this.#known].filter(([, state]) => state === 'pending').map(([id]) => id)
    const oldestPending = pending.sort()[0] ?? AFTER_ALL
    const floor = this.#floor
    let next: string | null = null
    for (let pages = 1; ; pages++) {
      const query = { limit: MAX_PAGE_SIZE, ...(next && { cursor: next }) }
      const page = await this.#api.requestList(get(this.#path, query))
      const { items } = page
      if (floor === null) {
        this.#floor = items[0]?.id ?? ''
        return []
      }
      const fresh = items.filter(({ id, state }) => id > floor && this.#known.get(id) !== state)
      found.push(...fresh)
      next = page.next
      const isCaughtUp = fresh.length < items.length && (pages >= MAX_PAGES || items.at(-1).id <= oldestPending)
      if (next === null || isCaughtUp) return this.#remember(found.reverse())
    }
  }

  #remember(events: AnyJson[]): AnyJson[] {
    for (const { id, state } of events) this.#known.set(id, state)
    const tooMany = Math.max(0, this.#known.size - MAX_PAGES * Number(MAX_PAGE_SIZE))
    for (const id of [...this.#known.keys()].sort().slice(0, tooMany)) {
      this.#known.delete(id)
      this.#floor = id
    }
    return events
  }
}

async function waitForNextPoll(signal: AbortSignal): Promise<boolean> {
  await sleep(POLL_MS, null, { signal }).catch(() => {})
  return !signal.aborted
}

function formatEvent({ createdAt, endedAt, event, status, messageId, state, failureReason, id }: AnyJson): string {
  const fields = [endedAt ?? createdAt, event, status, messageId, state, failureReason, id]
  return fields
    .filter((field) => field !== null)
    .map(formatValue)
    .join('  ')
}
