// Formats the status of the service: on a terminal the verdict, the incidents, the queue and the carriers; otherwise all fields.
import type { AnyJson, View } from './command.ts'
import { fieldLines, percentOf, tableOf, wrapped } from './table.ts'
import { shortTime } from './time.ts'

const SEVERITY_WIDTH = 10

/** The findings repeat the incidents, so they are left out. */
export function statusText({ incidents, findings: _, ...status }: AnyJson, width: number | null, view: View): string {
  if (width !== null) return terminalText({ incidents, ...status }, width, view)
  const lines = incidents.map(({ severity, what }: AnyJson) => `${severity.padEnd(8)}  ${what}`)
  return [fieldLines(status), ...(lines.length > 0 ? ['', ...lines] : [])].join('\n')
}

function terminalText(status: AnyJson, width: number, view: View): string {
  const { at, verdict, smsEnabled, processes, rates, lanes, carriers, incidents, unmatchedReceipts, failedWebhooks } =
    status
  const facts = {
    status: verdict,
    at,
    sending: smsEnabled ? 'enabled' : 'paused',
    workers: processes,
    accepted: `${rates?.accepted ?? 0} messages/s`,
    'to carriers': `${rates?.segmentsAccepted ?? 0} segments/s accepted, ${rates?.segmentsRejected ?? 0} rejected`,
    receipts: `${rates?.delivered ?? 0}/s delivered, ${rates?.undelivered ?? 0}/s undelivered`,
    'unmatched receipts': unmatchedReceipts?.count,
    'failed webhooks': failedWebhooks?.count,
  }
  const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null)
  const queue = (lanes ?? []).map(({ lane, waiting, isEstimate, oldestDueAt }: AnyJson) => ({
    queue: lane,
    waiting: isEstimate ? `about ${waiting}` : waiting,
    oldestDue: oldestDueAt,
  }))
  return [
    fieldLines(Object.fromEntries(known), width),
    ...(incidents.length === 0 ? [] : ['', ...incidents.flatMap((it: AnyJson) => incidentLines(it, width))]),
    ...(queue.length === 0 ? [] : ['', tableOf(queue, { columns: ['queue', 'waiting', 'oldestDue'], width, view })]),
    ...(carriers?.length > 0
      ? [
          '',
          tableOf(
            carriers.map((it: AnyJson) => carrierRow(it, view)),
            { columns: CARRIER, width },
          ),
        ]
      : []),
  ].join('\n')
}

const CARRIER = ['carrier', 'connections', 'inFlight', 'delivered', 'health']

function carrierRow({ name, state, deliveryRatio, health }: AnyJson, { now }: View): AnyJson {
  const bound = state.filter((it: AnyJson) => it.state === 'bound')
  const since = health.since ? ` since ${shortTime(health.since, now).trim()}` : ''
  return {
    carrier: name,
    connections: `${bound.length}/${state.length}`,
    inFlight: state.reduce((sum: number, it: AnyJson) => sum + it.inFlight, 0),
    delivered: percentOf(deliveryRatio),
    health: `${health.state}${since}${health.reason ? `: ${health.reason}` : ''}`,
  }
}

function incidentLines({ severity, what }: AnyJson, width: number): string[] {
  return wrapped(what, width - SEVERITY_WIDTH, true).map(
    (line, at) => (at === 0 ? severity : '').padEnd(SEVERITY_WIDTH) + line,
  )
}
