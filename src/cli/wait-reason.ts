// Why a message waits, in sentences with the next step. The v1 API has no reasons, so a management token is necessary.
import type { AnyJson } from './command.ts'
import type { CliContext } from './context.ts'
import { ManagementApi } from './management-api.ts'
import { get } from './request.ts'
import { ApiError, NoResponse } from './service.ts'
import { isTime, shortTime } from './time.ts'
import { waitSentence } from './wait-sentence.ts'

const NEXT_STEPS: Record<string, string> = {
  route: 'Add a route (hulaki route add) or enable a carrier (hulaki carrier change).',
  network_down:
    "The service reconnects automatically. Check the carrier: 'hulaki carrier list', 'hulaki carrier test'.",
  network_broken: "The service tests the carrier with one message at a time. Check it: 'hulaki carrier list'.",
}

/** Incidents that stop messages from leaving, the most general first. */
const CAUSES: Record<string, readonly string[]> = {
  route: ['no_carrier', 'country_without_route', 'carrier_off', 'country_without_carrier'],
  network_down: ['carrier_down', 'country_without_carrier', 'no_carrier'],
  network_broken: ['carrier_broken', 'carrier_refuses', 'country_without_carrier'],
}

export type ExplainWait = (messageId: string) => Promise<string[]>

/** Without a token, the sentences say how to get the reason. */
export function createWaitReasons(url: URL, context: CliContext): ExplainWait {
  const token = tokenOrNull(url, context)
  if (token === null)
    return async (id) => [`Still queued. 'hulaki message show ${id}' shows why; it needs a token of the workspace.`]
  const api = new ManagementApi(url, { token, signal: context.signal })
  return async (id) => {
    try {
      const { waiting } = await api.request(get(`/messages/${encodeURIComponent(id)}/timeline`))
      return waiting === null ? [] : sentencesOf(waiting, await readIncidents(api), context.now())
    } catch (error) {
      // The message is accepted and followed: a reason that cannot be read is no failure.
      if (error instanceof ApiError || error instanceof NoResponse) return []
      throw error
    }
  }
}

function sentencesOf(waiting: AnyJson, incidents: AnyJson[], now: Date): string[] {
  const paused = incidents.find(({ code }) => code === 'sending_off')
  if (paused) return ['Waiting: sending is paused.', withLocalTimes(paused.what, now)]
  const known = CAUSES[waiting.for] ?? []
  const incident = known.flatMap((code) => incidents.find((it) => it.code === code) ?? [])[0]
  const next = incident ? withLocalTimes(incident.what, now) : NEXT_STEPS[waiting.for]
  return [waitSentence(waiting, now), ...(next ? [next] : [])]
}

/** Only operators get the incidents. */
async function readIncidents(api: ManagementApi): Promise<AnyJson[]> {
  try {
    return (await api.request(get('/now'))).incidents ?? []
  } catch (error) {
    if (error instanceof ApiError) return []
    throw error
  }
}

function withLocalTimes(text: string, now: Date): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => (isTime(time) ? shortTime(time, now).trim() : time))
}

/** A token of another machine's settings is an error for other commands, and no reason to fail here. */
function tokenOrNull(url: URL, context: CliContext): string | null {
  try {
    return context.tokenFor(url)
  } catch {
    return null
  }
}
