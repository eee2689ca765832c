// Is all well with the service: what keeps messages from leaving, each finding with what to do about it.
import type { FigureCounts } from '../carriers/carrier-figures.ts'
import type { CarrierHealth } from '../carriers/carrier-health.ts'
import type { Receipts } from '../messages/report.ts'

type FindingState = 'well' | 'look' | 'bad'

/** What kinds of finding there are: whoever shows them in another language goes by these. */
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
  'answers_stray',
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
  /** The whole sentence, with the command that helps. */
  what: string
  /** What it is about, where that is a single thing. */
  about: { kind: 'carrier' | 'country' | 'workspace'; id: string; name: string } | null
}

export interface Facts {
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
  /** Those that are active and have nothing to pay with; the first of them where they are many. */
  withoutCredit: readonly { id: string; name: string }[]
  pendingTemplates: number
}

/** Its counts are those of the last hour. */
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
  /** Receipts of the last day that belong to nothing. */
  unmatched: number
  /** D15: messages that it may have taken, of which nothing more was heard; null where there are none. */
  inDoubt: { messages: number; since: Date } | null
}

export function diagnose(facts: Facts): HealthFinding[] {
  const { smsEnabled, liveCountries, carriers, routes } = facts
  return [
    smsEnabled
      ? found('well', 'sending_on', 'sending is switched on')
      : found('bad', 'sending_off', 'sending is switched off: hulaki service change --sms-enabled'),
    ...(liveCountries.length === 0
      ? [found('bad', 'no_live_country', 'no country is live, so nothing can be sent: hulaki country set')]
      : []),
    ...(carriers.length === 0 ? [found('bad', 'no_carrier', 'there is no carrier: hulaki carrier add')] : []),
    ...carriers.flatMap((carrier) => [
      judgeCarrier(carrier),
      ...judgeReceipts(carrier),
      ...judgeAnswers(carrier),
      ...judgeDoubt(carrier),
    ]),
    ...liveCountries.map((country) => judgeCountry(country, routes, carriers)),
    ...judgeWorkspaces(facts),
    ...judgeTemplates(facts),
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

function judgeCarrier({ id, name, enabled, health, binds }: CarrierFacts): HealthFinding {
  const about = { kind: 'carrier', id, name } as const
  if (!enabled) return found('look', 'carrier_off', `carrier ${name} is not enabled`, about)
  if (health.state === 'broken') {
    const since = health.since === null ? '' : ` since ${health.since.toISOString()}`
    const what = `carrier ${name} is bound, but does not work${since}: ${health.reason}`
    return found('bad', 'carrier_broken', what, about)
  }
  const bound = binds.filter((bind) => bind.state === 'bound').length
  const share = `carrier ${name}: ${bound} of ${binds.length} binds are bound`
  if (bound > 0 && bound === binds.length) return found('well', 'carrier_bound', share, about)
  const lastError = binds.find((bind) => bind.state !== 'bound' && bind.lastError)?.lastError
  const what = `${share} (${lastError ?? 'no process plays the role delivery, or it has only just begun'})`
  return bound > 0 ? found('look', 'carrier_in_part', what, about) : found('bad', 'carrier_down', what, about)
}

function judgeReceipts({
  id,
  name,
  unmatched,
  unreadableReceipts,
  receipts,
  duplicateMessageIds,
}: CarrierFacts): HealthFinding[] {
  const about = { kind: 'carrier', id, name } as const
  const belongToNothing = `carrier ${name} sent receipts in the last day that belong to nothing: ${unmatched}; hulaki carrier receipts ${id}`
  const notRead = `receipts of carrier ${name} were refused or could not be read in the last hour: ${unreadableReceipts}; its secret, or where they stand, is not as described; the log says which; hulaki carrier capture ${id}`
  const shared = `carrier ${name} gives all segments of a long message the same id, and probably sends one receipt for them: hulaki carrier change ${id} --receipts one`
  return [
    ...(unmatched > 0 ? [found('look', 'receipts_unmatched', belongToNothing, about)] : []),
    ...(unreadableReceipts > 0 ? [found('look', 'receipts_unread', notRead, about)] : []),
    ...(duplicateMessageIds > 0 && receipts === 'each' ? [found('look', 'receipts_shared', shared, about)] : []),
  ]
}

function judgeAnswers(carrier: CarrierFacts): HealthFinding[] {
  const { id, name, health, accepted, accountRejections, unreadableAnswers, unexpectedAnswers } = carrier
  const about = { kind: 'carrier', id, name } as const
  const capture = `hulaki carrier capture ${id}`
  const last = lastErrorOf(carrier)
  const refuses = `carrier ${name} refused every submission of the last hour that it could have accepted: ${accountRejections}; ${last}; check its account and settings; ${capture}`
  const notRead = `carrier ${name} gave answers that cannot be read in the last hour: ${unreadableAnswers}; ${last}; its description does not fit; ${capture}`
  const stray = `carrier ${name} answered in the last hour what nobody asked, or asked no more: ${unexpectedAnswers}; it answers late or twice, the log has which; ${capture}`
  return [
    // A broken circuit says the same, with its reason.
    ...(accountRejections > 0 && accepted === 0 && health.state === 'working'
      ? [found('bad', 'carrier_refuses', refuses, about)]
      : []),
    ...(unreadableAnswers > 0 ? [found(accepted === 0 ? 'bad' : 'look', 'answers_unreadable', notRead, about)] : []),
    ...(unexpectedAnswers > 0 ? [found('look', 'answers_stray', stray, about)] : []),
  ]
}

function lastErrorOf({ binds }: CarrierFacts): string {
  const known = binds.filter((bind) => bind.lastErrorAt !== null)
  const [last] = known.toSorted((one, other) => Number(other.lastErrorAt) - Number(one.lastErrorAt))
  return last?.lastError ? `last error: ${last.lastError}` : 'the log says why'
}

/** Nothing helps by itself: only who asks the carrier knows whether to fail them or to send them again. */
function judgeDoubt({ id, name, inDoubt }: CarrierFacts): HealthFinding[] {
  if (inDoubt === null) return []
  const { messages, since } = inDoubt
  const what = `messages in doubt at carrier ${name}: ${messages}, the oldest since ${since.toISOString()}; it may have taken them, but neither answer nor receipt came; ask the carrier, then hulaki message fail-all or resend-all <workspace> --carrier ${id}; else each fails at its deadline`
  return [found('look', 'messages_in_doubt', what, { kind: 'carrier', id, name })]
}

/** Only a route for all numbers and types says that everything there has a way. */
function judgeCountry(
  { code, name }: Facts['liveCountries'][number],
  routes: Facts['routes'],
  carriers: Facts['carriers'],
): HealthFinding {
  const about = { kind: 'country', id: code, name } as const
  const enabled = new Set(carriers.filter((carrier) => carrier.enabled).map(({ id }) => id))
  const leading = routes.filter(({ country }) => country === code || country === '*')
  const working = leading.filter(({ carrierId }) => enabled.has(carrierId))
  if (leading.length === 0) {
    const what = `${name} is live, but no route leads there: hulaki route add ${code} <carrier>`
    return found('bad', 'country_without_route', what, about)
  }
  if (working.length === 0) {
    const what = `${name} is live, but its routes lead only to carriers that are not enabled`
    return found('bad', 'country_without_carrier', what, about)
  }
  return working.some(({ prefixes, types }) => prefixes.length === 0 && types === null)
    ? found('well', 'country_served', `${name} is live and has a route`, about)
    : found('look', 'country_in_part', `${name} is live, but its routes serve only some numbers or types`, about)
}

function judgeWorkspaces({ activeWorkspaces, withoutCredit }: Facts): HealthFinding[] {
  return [
    activeWorkspaces > 0
      ? found('well', 'workspaces_active', `active workspaces: ${activeWorkspaces}`)
      : found('look', 'no_active_workspace', 'no workspace is active, so nobody can send'),
    ...withoutCredit.map(({ id, name }) => {
      const what = `workspace ${name} has no credit: hulaki credit add ${id} <amount>`
      return found('look', 'workspace_without_credit', what, { kind: 'workspace', id, name })
    }),
  ]
}

function judgeTemplates({ pendingTemplates }: Facts): HealthFinding[] {
  if (pendingTemplates === 0) return []
  const what = `templates that wait for review: ${pendingTemplates}; hulaki template list-all --status pending`
  return [found('look', 'templates_pending', what)]
}
