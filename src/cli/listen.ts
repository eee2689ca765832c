// The events of a client as they happen: each when it is made, and again when its posting has come to an end.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from './command.ts'
import { forward, readForwardTo } from './forward.ts'
import { LARGEST_PAGE, type ManagementApi } from './management-api.ts'
import { checkedWord, get, readSecret, type Typed } from './request.ts'
import { isUnknown } from './service.ts'
import { EXIT, Misuse, NO_ANSWER, type Surroundings } from './surroundings.ts'
import { jsonLine, textOf } from './table.ts'
import { idOf } from './things.ts'

const LOOK_EVERY_MS = 1000
/** So far back it is looked whether one has come to its end. */
const MOST_PAGES = 5
/** Ids are in the order of time, and all of them before this. */
const AFTER_ALL = '~'

/** Stopped is done, in whatever moment: nothing that is under way is waited for. */
export async function listen(service: ManagementApi, typed: Typed, around: Surroundings): Promise<number> {
  const stopped = Promise.withResolvers<void>()
  around.signal.addEventListener('abort', () => stopped.resolve())
  if (around.signal.aborted) stopped.resolve()
  const told = tellOrForward(service, typed, around).catch((fault) => {
    if (!around.signal.aborted) throw fault
  })
  await Promise.race([told, stopped.promise.then(() => ended(typed, told))])
  return EXIT.done
}

/** Whoever forwards has something to put away. */
async function ended({ values }: Typed, told: Promise<void>): Promise<void> {
  if (values['forward-to'] !== undefined) await told
}

async function tellOrForward(service: ManagementApi, typed: Typed, around: Surroundings): Promise<void> {
  const { values, common, places } = typed
  const client = places[0] ?? ''
  const { json } = common
  const to = values['forward-to']
  if (to === undefined) {
    const alone = ['secret-file', 'take-over'].find((name) => values[name] !== undefined)
    if (alone !== undefined) throw new Misuse(`--${alone} belongs to --forward-to.`)
    return tellEvents(service, { client, json }, around)
  }
  const file = values['secret-file']
  const given = file === undefined ? around.secret('HULAKI_WEBHOOK_SECRET') : readSecret(String(file), around)
  const url = readForwardTo(String(to))
  const clientId = await idOf('client', checkedWord('client', client), { service, ids: new Map() })
  const secret = given ?? `whsec_${service.secretFor(`listen ${clientId}`)}`
  return forward(service, { clientId, to: url, secret, takeOver: values['take-over'] === true, json }, around)
}

async function tellEvents(
  service: ManagementApi,
  { client, json }: { client: string; json: boolean },
  { out, err, signal }: Surroundings,
): Promise<void> {
  const id = await idOf('client', checkedWord('client', client), { service, ids: new Map() })
  const path = `/clients/${encodeURIComponent(id)}`
  const { webhookUrl } = await service.ask(get(path))
  if (webhookUrl === null)
    err(
      'This client has no webhook URL, so there are no events; --forward-to has them made, and posted to this computer.',
    )
  const events = new Events(service, `${path}/webhook-deliveries`)
  await events.news()
  if (!json) err('Listening; stop with Ctrl-C.')
  let isAway = false
  while (await paused(signal)) {
    try {
      for (const event of await events.news()) out(json ? jsonLine(event) : lineOf(event))
      isAway = false
    } catch (fault) {
      // A service that does not answer for a while is waited for: whoever listens wants to hear the end of it.
      if (!(fault instanceof Error && isUnknown(fault))) throw fault
      if (!isAway && !signal.aborted) err(awayLine(fault.message, json))
      isAway = true
    }
  }
}

function awayLine(why: string, json: boolean): string {
  return json ? jsonLine({ error: why, code: NO_ANSWER }) : `${why} (asked again every second)`
}

class Events {
  readonly #service: ManagementApi
  readonly #path: string
  /** The state in which each was last told. */
  readonly #known = new Map<string, string>()
  /** What is no newer was there before we listened, or is too old to be looked at; null until the first look. */
  #floor: string | null = null

  constructor(service: ManagementApi, path: string) {
    this.#service = service
    this.#path = path
  }

  /** Oldest first: those that are new, or in another state than before. Of the first look there are none. */
  async news(): Promise<Json[]> {
    const found: Json[] = []
    const waiting = [...this.#known].filter(([, state]) => state === 'pending').map(([id]) => id)
    const oldestWaiting = waiting.sort()[0] ?? AFTER_ALL
    const floor = this.#floor
    let next: string | null = null
    for (let pages = 1; ; pages++) {
      const query = { limit: LARGEST_PAGE, ...(next && { cursor: next }) }
      const page = await this.#service.askList(get(this.#path, query))
      const { items } = page
      if (floor === null) return this.#begin(items)
      const fresh = items.filter(({ id, state }) => id > floor && this.#known.get(id) !== state)
      found.push(...fresh)
      next = page.next
      const isSeen = fresh.length < items.length && (pages >= MOST_PAGES || items.at(-1).id <= oldestWaiting)
      if (next === null || isSeen) return this.#remember(found)
    }
  }

  #begin(items: Json[]): Json[] {
    this.#floor = items[0]?.id ?? ''
    return []
  }

  #remember(newestFirst: Json[]): Json[] {
    const told = newestFirst.reverse()
    for (const { id, state } of told) this.#known.set(id, state)
    const tooMany = Math.max(0, this.#known.size - MOST_PAGES * Number(LARGEST_PAGE))
    for (const id of [...this.#known.keys()].sort().slice(0, tooMany)) {
      this.#known.delete(id)
      this.#floor = id
    }
    return told
  }
}

async function paused(signal: AbortSignal): Promise<boolean> {
  await sleep(LOOK_EVERY_MS, null, { signal }).catch(() => {})
  return !signal.aborted
}

function lineOf({ createdAt, endedAt, event, status, messageId, state, deadBecause, id }: Json): string {
  const words = [endedAt ?? createdAt, event, status, messageId, state, deadBecause, id]
  return words
    .filter((word) => word !== null)
    .map(textOf)
    .join('  ')
}
