// The events of a client as they happen: each when it is made, and again when its posting has come to an end.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from './command.ts'
import { get } from './request.ts'
import { NoAnswer, Refused, type Service } from './service.ts'
import { EXIT, type Surroundings } from './surroundings.ts'
import { textOf } from './table.ts'

const LOOK_EVERY_MS = 1000
const PAGE = 200
/** What is remembered: older ones have come to their end, or are told once more. */
const MOST_REMEMBERED = 20_000

export async function listen(
  service: Service,
  { client, json }: { client: string; json: boolean },
  { out, err, signal }: Surroundings,
): Promise<number> {
  const { webhookUrl } = await service.ask(get(`/clients/${encodeURIComponent(client)}`))
  if (webhookUrl === null)
    err('This client has no webhook URL, so there are no events: hulaki client change --webhook-url')
  const known = new Map<string, string>()
  for (const { id, state } of await news(service, client, known)) known.set(id, state)
  if (!json) err('Listening; stop with Ctrl-C.')
  while (await paused(signal)) {
    for (const delivery of (await newsInTheEnd(service, { client, known, err })).reverse()) {
      known.set(delivery.id, delivery.state)
      out(json ? JSON.stringify(delivery) : lineOf(delivery))
    }
    for (const id of [...known.keys()].slice(0, Math.max(0, known.size - MOST_REMEMBERED))) known.delete(id)
  }
  return EXIT.done
}

/** Newest first: those that are new, or in another state than when they were last seen. */
async function news(service: Service, client: string, known: Map<string, string>): Promise<Json[]> {
  const found: Json[] = []
  const path = `/clients/${encodeURIComponent(client)}/webhook-deliveries`
  for (let cursor: string | null = null; ; ) {
    const page = get(path, { limit: String(PAGE), ...(cursor !== null && { cursor }) })
    const { items, next }: Json = await service.ask(page)
    const fresh = items.filter(({ id, state }: Json) => known.get(id) !== state)
    found.push(...fresh)
    // At first one page is enough to know where to begin; later, a page with nothing new is where the news ends.
    if (next === null || known.size === 0 || fresh.length === 0) return found
    cursor = next
  }
}

/** A service that does not answer for a while is waited for: whoever listens wants to hear the end of it. */
async function newsInTheEnd(
  service: Service,
  { client, known, err }: { client: string; known: Map<string, string>; err: Surroundings['err'] },
): Promise<Json[]> {
  try {
    return await news(service, client, known)
  } catch (fault) {
    if (!(fault instanceof NoAnswer || (fault instanceof Refused && fault.status >= 500))) throw fault
    err(fault.message)
    return []
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
