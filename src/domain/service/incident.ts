// An incident: what is broken, since when, who is affected, and what to do next.
import type { CarrierReach, NamedItem } from './reach.ts'
import type { WaitingMessages } from './service-facts.ts'

export const SEVERITIES = ['outage', 'degraded', 'notice'] as const
export type Severity = (typeof SEVERITIES)[number]

export const VERDICTS = ['operational', 'degraded', 'outage'] as const
export type ServiceVerdict = (typeof VERDICTS)[number]

export const INCIDENT_CODES = [
  'sending_off',
  'no_live_country',
  'no_carrier',
  'carrier_off',
  'carrier_broken',
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
  'queue_late',
  'requests_refused',
  'endpoint_failing',
  'no_active_workspace',
  'workspace_without_credit',
  'workspace_low_credit',
  'credit_requested',
  'templates_pending',
] as const
export type IncidentCode = (typeof INCIDENT_CODES)[number]

export const SUBJECT_KINDS = ['carrier', 'country', 'workspace', 'client', 'message_type', 'error_code'] as const

export const STEP_KINDS = [
  'route_to_carrier',
  'test_carrier',
  'open_carrier',
  'enable_carrier',
  'capture_traffic',
  'request_one_receipt',
  'add_route',
  'add_carrier',
  'add_country',
  'resume_sending',
  'top_up',
  'open_endpoint',
  'open_requests',
  'open_receipts',
  'review_messages_in_doubt',
  'review_templates',
  'activate_workspace',
] as const

interface Money {
  amountE4: number
  currency: string
}

export interface NextStep {
  kind: (typeof STEP_KINDS)[number]
  carrierId?: string
  /** Of the carrier to route to. */
  name?: string
  countryCode?: string
  workspaceId?: string
  clientId?: string
  /** Per segment; negative if the other carrier is cheaper. Absent if a price is unknown. */
  costDifference?: Money
  /** Of a top-up: what the workspace requests. */
  requested?: Money
}

export interface Impact {
  waiting: Pick<WaitingMessages, 'messages' | 'isEstimate' | 'firstExpiresAt'> | null
  refused: { requests: number; isEstimate: boolean; since: Date; codes: { code: string; requests: number }[] } | null
  workspaces: { count: number; first: NamedItem[] } | null
}

export interface Incident {
  /** The same as long as the incident lasts. */
  id: string
  severity: Severity
  code: IncidentCode
  about: (NamedItem & { kind: (typeof SUBJECT_KINDS)[number] }) | null
  since: Date | null
  /** The last error of the carrier or endpoint. */
  error: string | null
  /** When the next connection or probe of the carrier is due. */
  retryAt: Date | null
  /** What the code counts, such as messages, receipts or rejected submissions. */
  count: number | null
  connections: { bound: number; total: number } | null
  reaches: CarrierReach | null
  impact: Impact
  next: NextStep[]
}

export function verdictOf(incidents: readonly Incident[]): ServiceVerdict {
  const has = (severity: Severity) => incidents.some((it) => it.severity === severity)
  return has('outage') ? 'outage' : has('degraded') ? 'degraded' : 'operational'
}

export const NO_IMPACT: Impact = { waiting: null, refused: null, workspaces: null }

/** Fields that are not given are null or empty. */
export function newIncident(
  severity: Severity,
  code: IncidentCode,
  about: Incident['about'],
  some: Partial<Omit<Incident, 'id' | 'severity' | 'code' | 'about'>>,
): Incident {
  const none = { since: null, error: null, retryAt: null, count: null, connections: null, reaches: null, next: [] }
  return { id: about ? `${code}:${about.id}` : code, severity, code, about, ...none, impact: NO_IMPACT, ...some }
}
