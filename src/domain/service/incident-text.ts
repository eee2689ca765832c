// Incidents as sentences, for the command line and for lists: the cause, the impact and the next step.
import { fromE4 } from '../money.ts'
import type { Impact, Incident, NextStep } from './incident.ts'
import type { CarrierReach } from './reach.ts'

/** `at` is the time of the check: times of the same day have no date. */
export function describeIncident(incident: Incident, at: Date): string {
  const { impact, next, reaches, code } = incident
  const isOtpLost = reaches?.lost.some(({ types }) => types === null || types.includes('otp'))
  const parts = [
    describeCause(incident, at),
    ...describeImpact(impact, at),
    isOtpLost && (code === 'carrier_down' || code === 'carrier_broken') ? 'OTPs to these numbers are rejected.' : null,
    next.length > 0 ? `Next: ${next.map(describeStep).join(', or ')}.` : null,
  ]
  return parts.filter((part) => part !== null).join(' ')
}

function describeCause({ code, about, since, error, count, connections, reaches }: Incident, at: Date): string {
  const name = about?.name ?? ''
  const why = error === null ? '' : ` (${error})`
  const from = since === null ? '' : ` since ${clockTime(since, at)}`
  const carrier = (state: string) => describeCarrier(name, `${state}${from}${why}`, reaches)
  const ofHour = `${count} in the last hour${why}`
  const causes: Record<typeof code, () => string> = {
    sending_off: () => 'Sending is paused: new send requests of all workspaces are rejected.',
    no_live_country: () => 'No country is live: nothing can be sent.',
    no_carrier: () => 'The service has no carrier: nothing can be sent.',
    carrier_off: () => `Carrier ${name} is disabled: it gets no messages.`,
    carrier_down: () =>
      carrier(
        connections?.total === 0 || error !== null
          ? 'is down'
          : 'is down: no process has its connections, or one has just started',
      ),
    carrier_broken: () => carrier('is connected but accepts no messages'),
    carrier_refuses: () => carrier(`rejects every message: ${count} in the last hour`),
    answers_unreadable: () => carrier(`sends unreadable responses: ${count} in the last hour`),
    carrier_in_part: () =>
      `Carrier ${name} is partly connected: ${connections?.bound} of ${connections?.total} connections${why}.`,
    answers_unexpected: () => `Unexpected responses of carrier ${name}: ${ofHour}, late or duplicate.`,
    receipts_unmatched: () =>
      `Unmatched receipts of carrier ${name}: ${count} in the last day. They update no message.`,
    receipts_unread: () => `Unreadable receipts of carrier ${name}: ${ofHour}. Check its secret and description.`,
    receipts_shared: () =>
      `Carrier ${name} uses one id for all segments of a message: it probably sends one receipt per message.`,
    messages_in_doubt: () =>
      `Messages with unknown outcome at carrier ${name}: ${count}, the oldest${from}. Each fails at its deadline.`,
    country_without_route: () => `${name} cannot be reached: it is live and has no route.`,
    country_without_carrier: () => `${name} cannot be reached: its carriers are disabled.`,
    country_in_part: () => `${name} is partly served: its routes cover only some numbers or types.`,
    queue_late: () => `Messages of type ${name} are late: the oldest waits for ${duration(count ?? 0)}.`,
    requests_refused: () => `API requests are refused with ${name}: ${ofHour}.`,
    endpoint_failing: () =>
      `The endpoint of client ${name} is failing${from}${why}: ${count} events are not delivered.`,
    no_active_workspace: () => 'No workspace is active: no client can send.',
    workspace_without_credit: () => `Workspace ${name} has no credit: its messages are rejected.`,
    workspace_low_credit: () => `Workspace ${name} is below its low-balance alert.`,
    credit_requested: () => `Workspace ${name} requests credit.`,
    templates_pending: () => `Templates in review: ${count}.`,
  }
  return causes[code]()
}

/** A carrier that accepts nothing, and what follows for its numbers. */
function describeCarrier(name: string, state: string, reaches: CarrierReach | null): string {
  const { lost = [], covered = [] } = reaches ?? {}
  const others = covered.map(
    (it) => `${describeNumbers(it)} is reached by ${it.carriers.map((other) => other.name).join(', ')}.`,
  )
  if (lost.length === 0) {
    const rest = reaches !== null && covered.length === 0 ? ['No route to a live country uses it.'] : others
    return [`Carrier ${name} ${state}.`, ...rest].join(' ')
  }
  const only = lost.every(({ isOnlyCarrier }) => isOnlyCarrier)
  const which = `${only ? `${lost.length === 1 ? 'its' : 'their'} only ` : ''}carrier ${name}`
  return [`${lost.map(describeNumbers).join(', ')} cannot be reached: ${which} ${state}.`, ...others].join(' ')
}

function describeNumbers({
  countryName,
  prefixes,
  prefixCount,
  types,
  ...rest
}: CarrierReach['lost' | 'covered'][number]): string {
  const more = prefixCount > prefixes.length ? ` and ${prefixCount - prefixes.length} more` : ''
  const isRest = prefixes.length === 0 && types === null && 'isWholeCountry' in rest && !rest.isWholeCountry
  const numbers =
    prefixes.length > 0
      ? `${countryName} ${prefixes.join(', ')}${more}`
      : isRest
        ? `The rest of ${countryName}`
        : countryName
  return types === null ? numbers : `${numbers} (${types.join(', ')})`
}

function describeImpact({ waiting, refused, workspaces }: Impact, at: Date): string[] {
  const about = (isEstimate: boolean, count: number) => `${isEstimate ? 'about ' : ''}${count}`
  const expiry = waiting?.firstExpiresAt ? `, the first expires at ${clockTime(waiting.firstExpiresAt, at)}` : ''
  const codes = refused?.codes.map(({ code }) => code).join(', ')
  return [
    ...(waiting
      ? [
          `${capitalize(about(waiting.isEstimate, waiting.messages))} ${waiting.messages === 1 ? 'message waits' : 'messages wait'}${expiry}.`,
        ]
      : []),
    ...(refused
      ? [
          `${capitalize(about(refused.isEstimate, refused.requests))} ${refused.requests === 1 ? 'request was' : 'requests were'} refused (${codes}) since ${clockTime(refused.since, at)}.`,
        ]
      : []),
    ...(workspaces && (waiting || refused) ? [`Workspaces affected: ${listWorkspaces(workspaces)}.`] : []),
  ]
}

function listWorkspaces({ count, first }: NonNullable<Impact['workspaces']>): string {
  const more = count - first.length
  return `${first.map(({ name }) => name).join(', ')}${more > 0 ? ` +${more}` : ''}`
}

function describeStep(step: NextStep): string {
  const { kind, carrierId, name, countryCode, workspaceId, clientId, costDifference, requested } = step
  const steps: Record<typeof kind, () => string> = {
    route_to_carrier: () =>
      `route to ${name}${describeCost(costDifference)} (hulaki route add ${countryCode} ${carrierId})`,
    test_carrier: () => `test the carrier (hulaki carrier test ${carrierId})`,
    open_carrier: () => `check its settings (hulaki carrier show ${carrierId})`,
    enable_carrier: () => `enable the carrier (hulaki carrier change ${carrierId} --enabled)`,
    capture_traffic: () => `see its traffic (hulaki carrier capture ${carrierId})`,
    request_one_receipt: () => `request one receipt per message (hulaki carrier change ${carrierId} --receipts one)`,
    add_route: () => `add a route to another carrier (hulaki route add ${countryCode} <carrier>)`,
    add_carrier: () => 'add a carrier (hulaki carrier add)',
    add_country: () => 'add a country (hulaki country set)',
    resume_sending: () => 'resume sending (hulaki service change --sms-enabled)',
    top_up: () =>
      `add credit (hulaki credit add ${workspaceId} ${requested ? fromE4(requested.amountE4) : '<amount>'})`,
    open_endpoint: () => `check the endpoint (hulaki webhook list ${clientId})`,
    open_requests: () => `see the requests (hulaki request list ${workspaceId})`,
    open_receipts: () => `see the receipts (hulaki carrier receipts ${carrierId})`,
    review_messages_in_doubt: () =>
      `ask the carrier, then run hulaki message fail-all or resend-all <workspace> --carrier ${carrierId}`,
    review_templates: () => 'review them (hulaki template list-all --status pending)',
    activate_workspace: () => 'activate a workspace (hulaki workspace change <workspace> --status active)',
  }
  return steps[kind]()
}

function describeCost(difference: NextStep['costDifference']): string {
  if (!difference) return ''
  const { amountE4, currency } = difference
  if (amountE4 === 0) return ' at the same price'
  return ` for ${currency} ${fromE4(Math.abs(amountE4))} ${amountE4 > 0 ? 'more' : 'less'} per segment`
}

/** In UTC, because the reader's time zone is not known. */
function clockTime(time: Date, at: Date): string {
  const [day, clock = ''] = time.toISOString().split('T')
  const isSameDay = at.toISOString().startsWith(`${day}T`)
  return `${isSameDay ? '' : `${day} `}${clock.slice(0, 5)} UTC`
}

function duration(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
