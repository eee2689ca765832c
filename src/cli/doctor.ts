// `hulaki doctor`: checks the address, the token and the clocks from here, and shows the findings of the service.
import type { AnyJson } from './command.ts'
import { type CliContext, EXIT, type Finding } from './context.ts'
import type { ManagementApi } from './management-api.ts'
import { type Common, get } from './request.ts'
import { ApiError, isOutcomeUnknown, isThisMachine } from './service.ts'
import { jsonLine, wrapped } from './table.ts'

const MARKS = { ok: 'ok  ', warning: 'warn', error: 'FAIL' }
const INDENT = ' '.repeat(6)
const MAX_SKEW_MS = 5_000

export async function checkHealth(api: ManagementApi, { json }: Common, context: CliContext): Promise<number> {
  const { out, now, width } = context
  const findings: Finding[] = []
  const add = (...some: Finding[]) => {
    findings.push(...some)
    if (!json) for (const finding of some) out(formatFinding(finding, width))
  }
  add(...(await checkAddress(api, now)))
  const isFailed = () => findings.some(({ state }) => state === 'error')
  // A service that is not ready has no findings.
  const { checks, ...service } = isFailed() ? { checks: [] } : await loadChecks(api)
  add(...checks)
  if (json) out(jsonLine({ ok: !isFailed(), ...service, findings }))
  return isFailed() ? EXIT.refused : EXIT.done
}

export function formatFinding({ state, what }: Finding, width: number | null): string {
  if (width === null) return `${MARKS[state]}  ${what}`
  const [first = '', ...more] = wrapped(what, width - INDENT.length)
  return [`${MARKS[state]}  ${first}`, ...more.map((line) => INDENT + line)].join('\n')
}

async function checkAddress(api: ManagementApi, now: () => Date): Promise<Finding[]> {
  const { status: life, date, body: alive } = await api.exchange('/livez')
  if (life !== 200 || alive?.status !== 'ok') throw api.unexpected(life)
  const { status, body } = await api.exchange('/readyz')
  const skewMs = date === null ? 0 : Math.abs(date.getTime() - now().getTime())
  const isPlain = api.url.protocol === 'http:' && !isThisMachine(api.url)
  const skew = `the clocks of the two machines differ by ${Math.round(skewMs / 1000)} s; synchronise both with NTP`
  return [
    { state: 'ok', what: `${api.url.origin} responds` },
    status === 200
      ? { state: 'ok', what: 'service ready' }
      : { state: 'error', what: `service not ready: ${body?.reason ?? `status ${status}`}` },
    ...(isPlain ? [{ state: 'warning' as const, what: 'the token is sent unencrypted; use https, or a tunnel' }] : []),
    ...(skewMs > MAX_SKEW_MS ? [{ state: 'warning' as const, what: skew }] : []),
  ]
}

interface ServiceChecks {
  checks: Finding[]
  verdict?: string
  incidents?: AnyJson[]
}

/** Only an operator gets the checks of the service. */
async function loadChecks(api: ManagementApi): Promise<ServiceChecks> {
  try {
    const { findings, incidents, verdict } = await api.request(get('/doctor'))
    const passing = findings.filter(({ state }: Finding) => state === 'ok')
    const checks = [{ state: 'ok', what: 'authenticated as operator' }, ...passing, ...incidents.map(toFinding)]
    return { checks: checks.map(({ state, what }) => ({ state, what })), verdict, incidents }
  } catch (error) {
    if (!(error instanceof ApiError) || isOutcomeUnknown(error)) throw error
    const what = 'authenticated as owner; only operators see carriers and routes'
    return error.status === 404
      ? { checks: [{ state: 'ok', what }] }
      : { checks: [{ state: 'error', what: `authentication failed: ${error.message}` }] }
  }
}

function toFinding({ severity, what }: AnyJson): Finding {
  return { state: severity === 'outage' ? 'error' : 'warning', what }
}
