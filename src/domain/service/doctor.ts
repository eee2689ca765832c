// The health check of the service: its incidents, and all checks with their state.
import { isAccepting } from './carrier-incidents.ts'
import { type Incident, type ServiceVerdict, verdictOf } from './incident.ts'
import { describeIncident } from './incident-text.ts'
import { coverageOf, findIncidents } from './incidents.ts'
import type { ServiceFacts } from './service-facts.ts'

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

const FINDING_SUBJECTS = ['carrier', 'country', 'workspace'] as const

export interface HealthFinding {
  state: FindingState
  code: FindingCode
  /** The problem, its impact, and the command that helps. */
  what: string
  /** The carrier, country or workspace concerned; null if the finding concerns the whole service. */
  about: { kind: (typeof FINDING_SUBJECTS)[number]; id: string; name: string } | null
}

interface Diagnosis {
  verdict: ServiceVerdict
  incidents: (Incident & { what: string })[]
  findings: HealthFinding[]
}

export function diagnose(facts: ServiceFacts): Diagnosis {
  const incidents = findIncidents(facts).map((it) => ({ ...it, what: describeIncident(it, facts.now) }))
  return {
    verdict: verdictOf(incidents),
    incidents,
    findings: [...incidents.flatMap(toFinding), ...listPassing(facts, incidents)],
  }
}

function listPassing(
  { smsEnabled, carriers, liveCountries, activeWorkspaces, routes }: ServiceFacts,
  incidents: Incident[],
): HealthFinding[] {
  const isLost = (code: string) => incidents.some(({ reaches }) => reaches?.lost.some((it) => it.countryCode === code))
  const found = (code: FindingCode, what: string, about: HealthFinding['about'] = null): HealthFinding => ({
    state: 'ok',
    code,
    what,
    about,
  })
  return [
    ...(smsEnabled ? [found('sending_on', 'sending enabled')] : []),
    ...carriers
      .filter((carrier) => isAccepting(carrier) && carrier.binds.every(({ state }) => state === 'bound'))
      .map(({ id, name, binds }) => {
        const what = `carrier ${name} connected: ${binds.length} of ${binds.length} connections`
        return found('carrier_bound', what, { kind: 'carrier', id, name })
      }),
    ...liveCountries
      .filter(({ code }) => coverageOf(code, { routes, carriers }).isComplete && !isLost(code))
      .map(({ code, name }) =>
        found('country_served', `live country ${name} served`, { kind: 'country', id: code, name }),
      ),
    ...(activeWorkspaces > 0 ? [found('workspaces_active', `active workspaces: ${activeWorkspaces}`)] : []),
  ]
}

/** Later codes exist only as incidents. */
function toFinding({ severity, code, what, about }: Diagnosis['incidents'][number]): HealthFinding[] {
  const known = FINDING_CODES.find((it) => it === code)
  const kind = FINDING_SUBJECTS.find((it) => it === about?.kind)
  if (!known || (about && !kind)) return []
  return [
    {
      state: severity === 'outage' ? 'error' : 'warning',
      code: known,
      what,
      about: about && kind ? { ...about, kind } : null,
    },
  ]
}
