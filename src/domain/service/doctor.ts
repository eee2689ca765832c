// The health check of the service: each finding names a problem, its impact and the next step.
import type { FigureCounts } from '../carriers/carrier-figures.ts'
import type { CarrierHealth } from '../carriers/carrier-health.ts'
import type { Receipts } from '../messages/report.ts'

type FindingState = 'ok' | 'warning' | 'error'

/** The kinds of findings; the console translates them. */
export const FINDING_CODES = [
  'sending_on',
  'sending_off',
  'no_live_country',
  'no_carrier',
  'carrier_off',
  'carrier_broken',
  'carrier_bound',
  'carrier_in_part',
  'carrier_down',
  'carrier_refuses',
  'receipts_unmatched',
  'receipts_unread',
  'receipts_shared',
  'answers_unexpected',
  'answers_unreadable',
  'messages_in_doubt',
  'country_without_route',
  'country_without_carrier',
  'country_in_part',
  'country_served',
  'workspaces_active',
  'no_active_workspace',
  'workspace_without_credit',
  'templates_pending',
] as const
type FindingCode = (typeof FINDING_CODES)[number]

export interface HealthFinding {
  state: FindingState
  code: FindingCode
  /** The problem, its impact, and the command that helps. */
  what: string
  /** The carrier, country or workspace concerned; null if the finding concerns the whole service. */
  about: { kind: 'carrier' | 'country' | 'workspace'; id: string; name: string } | null
}

export interface HealthFacts {
  smsEnabled: boolean
  liveCountries: readonly { code: string; name: string }[]
  carriers: readonly CarrierFacts[]
  routes: readonly {
    country: string
    prefixes: readonly string[]
    types: readonly string[] | null
    carrierId: string
  }[]
  activeWorkspaces: number
  /** Active workspaces without balance; only the first ones if there are many. */
  withoutCredit: readonly { id: string; name: string }[]
  pendingTemplates: number
}

/** The counts cover the last hour. */
export interface CarrierFacts
  extends Pick<
    FigureCounts,
    | 'accepted'
    | 'accountRejections'
    | 'unreadableAnswers'
    | 'duplicateMessageIds'
    | 'unexpectedAnswers'
    | 'unreadableReceipts'
  > {
  id: string
  name: string
  enabled: boolean
  health: CarrierHealth
  binds: readonly { state: string; lastError: string | null; lastErrorAt: Date | null }[]
  receipts: Receipts
  /** Unmatched receipts of the last day. */
  unmatched: number
  /** D15: messages that it may have accepted, without an answer or receipt; null without any. */
  inDoubt: { messages: number; since: Date } | null
}

export function diagnose(facts: HealthFacts): HealthFinding[] {
  const { smsEnabled, liveCountries, carriers, routes } = facts
  return [
    smsEnabled
      ? found('ok', 'sending_on', 'sending enabled')
      : found(
          'error',
          'sending_off',
          'sending paused: no message is submitted; run hulaki service change --sms-enabled',
        ),
    ...(liveCountries.length === 0
      ? [found('error', 'no_live_country', 'no live country: nothing can be sent; run hulaki country set')]
      : []),
    ...(carriers.length === 0
      ? [found('error', 'no_carrier', 'no carrier: nothing can be sent; run hulaki carrier add')]
      : []),
    ...carriers.flatMap((carrier) => [
      checkCarrier(carrier),
      ...checkReceipts(carrier),
      ...checkAnswers(carrier),
      ...checkDoubt(carrier),
    ]),
    ...liveCountries.map((country) => checkCountry(country, routes, carriers)),
    ...checkWorkspaces(facts),
    ...checkTemplates(facts),
  ]
}

function found(
  state: FindingState,
  code: FindingCode,
  what: string,
  about: HealthFinding['about'] = null,
): HealthFinding {
  return { state, code, what, about }
}

function checkCarrier({ id, name, enabled, health, binds }: CarrierFacts): HealthFinding {
  const about = { kind: 'carrier', id, name } as const
  if (!enabled) return found('warning', 'carrier_off', `carrier ${name} disabled: it gets no messages`, about)
  if (health.state === 'broken') {
    const since = health.since === null ? '' : ` since ${health.since.toISOString()}`
    const what = `carrier ${name} connected but not accepting messages${since}: ${health.reason}; check its account; run hulaki carrier capture ${id}`
    return found('error', 'carrier_broken', what, about)
  }
  const bound = binds.filter((bind) => bind.state === 'bound').length
  const count = `${bound} of ${binds.length} connections`
  if (bound > 0 && bound === binds.length)
    return found('ok', 'carrier_bound', `carrier ${name} connected: ${count}`, about)
  const lastError = binds.find((bind) => bind.state !== 'bound' && bind.lastError)?.lastError
  const why = lastError ? `last error: ${lastError}` : 'no process has the role delivery, or it has just started'
  return bound > 0
    ? found('warning', 'carrier_in_part', `carrier ${name} partly connected: ${count}; ${why}`, about)
    : found('error', 'carrier_down', `carrier ${name} disconnected: ${count}; ${why}`, about)
}

function checkReceipts({
  id,
  name,
  unmatched,
  unreadableReceipts,
  receipts,
  duplicateMessageIds,
}: CarrierFacts): HealthFinding[] {
  const about = { kind: 'carrier', id, name } as const
  const notMatched = `unmatched receipts of carrier ${name}: ${unmatched} in the last day; they update no message; run hulaki carrier receipts ${id}`
  const capture = `run hulaki carrier capture ${id}`
  const notRead = `unreadable receipts of carrier ${name}: ${unreadableReceipts} in the last hour; check its secret and description; see the log; ${capture}`
  const change = `run hulaki carrier change ${id} --receipts one`
  const shared = `one id for all segments at carrier ${name}: it probably sends one receipt per message; ${change}`
  return [
    ...(unmatched > 0 ? [found('warning', 'receipts_unmatched', notMatched, about)] : []),
    ...(unreadableReceipts > 0 ? [found('warning', 'receipts_unread', notRead, about)] : []),
    ...(duplicateMessageIds > 0 && receipts === 'each' ? [found('warning', 'receipts_shared', shared, about)] : []),
  ]
}

function checkAnswers(carrier: CarrierFacts): HealthFinding[] {
  const { id, name, health, accepted, accountRejections, unreadableAnswers, unexpectedAnswers } = carrier
  const about = { kind: 'carrier', id, name } as const
  const capture = `hulaki carrier capture ${id}`
  const last = lastErrorOf(carrier)
  const refuses = `carrier ${name} rejects every message: ${accountRejections} in the last hour; ${last}; check its account and settings; run ${capture}`
  const notRead = `unreadable responses of carrier ${name}: ${unreadableAnswers} in the last hour; ${last}; its description does not match; run ${capture}`
  const stray = `unexpected responses of carrier ${name}: ${unexpectedAnswers} in the last hour, late or duplicate; see the log; run ${capture}`
  return [
    // An open circuit reports the same, with its reason.
    ...(accountRejections > 0 && accepted === 0 && health.state === 'working'
      ? [found('error', 'carrier_refuses', refuses, about)]
      : []),
    ...(unreadableAnswers > 0
      ? [found(accepted === 0 ? 'error' : 'warning', 'answers_unreadable', notRead, about)]
      : []),
    ...(unexpectedAnswers > 0 ? [found('warning', 'answers_unexpected', stray, about)] : []),
  ]
}

function lastErrorOf({ binds }: CarrierFacts): string {
  const known = binds.filter((bind) => bind.lastErrorAt !== null)
  const [last] = known.toSorted((one, other) => Number(other.lastErrorAt) - Number(one.lastErrorAt))
  return last?.lastError ? `last error: ${last.lastError}` : 'see the log'
}

/** Only the carrier can confirm whether it has these messages, so the operator must ask and then fail or resend them. */
function checkDoubt({ id, name, inDoubt }: CarrierFacts): HealthFinding[] {
  if (inDoubt === null) return []
  const { messages, since } = inDoubt
  const next = `ask the carrier, then run hulaki message fail-all or resend-all <workspace> --carrier ${id}`
  const count = `${messages}, the oldest since ${since.toISOString()}`
  const what = `messages with unknown outcome at carrier ${name}: ${count}; each fails at its deadline; ${next}`
  return [found('warning', 'messages_in_doubt', what, { kind: 'carrier', id, name })]
}

/** Only a route for all numbers and types covers the whole country. */
function checkCountry(
  { code, name }: HealthFacts['liveCountries'][number],
  routes: HealthFacts['routes'],
  carriers: HealthFacts['carriers'],
): HealthFinding {
  const about = { kind: 'country', id: code, name } as const
  const enabled = new Set(carriers.filter((carrier) => carrier.enabled).map(({ id }) => id))
  const leading = routes.filter(({ country }) => country === code || country === '*')
  const working = leading.filter(({ carrierId }) => enabled.has(carrierId))
  if (leading.length === 0) {
    const what = `live country ${name} without route: its messages wait; run hulaki route add ${code} <carrier>`
    return found('error', 'country_without_route', what, about)
  }
  if (working.length === 0) {
    const what = `no enabled route to ${name}: its messages wait; enable a carrier, or run hulaki route add ${code} <carrier>`
    return found('error', 'country_without_carrier', what, about)
  }
  return working.some(({ prefixes, types }) => prefixes.length === 0 && types === null)
    ? found('ok', 'country_served', `live country ${name} served`, about)
    : found(
        'warning',
        'country_in_part',
        `live country ${name} partly served: its routes cover only some numbers or types`,
        about,
      )
}

function checkWorkspaces({ activeWorkspaces, withoutCredit }: HealthFacts): HealthFinding[] {
  return [
    activeWorkspaces > 0
      ? found('ok', 'workspaces_active', `active workspaces: ${activeWorkspaces}`)
      : found('warning', 'no_active_workspace', 'no active workspace: no client can send'),
    ...withoutCredit.map(({ id, name }) => {
      const what = `workspace ${name} without credit: its messages are rejected; run hulaki credit add ${id} <amount>`
      return found('warning', 'workspace_without_credit', what, { kind: 'workspace', id, name })
    }),
  ]
}

function checkTemplates({ pendingTemplates }: HealthFacts): HealthFinding[] {
  if (pendingTemplates === 0) return []
  const what = `templates in review: ${pendingTemplates}; run hulaki template list-all --status pending`
  return [found('warning', 'templates_pending', what)]
}
