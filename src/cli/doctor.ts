// `hulaki doctor`: checks the address, the token and the clocks from here, and shows the findings of the service.

import { type CliContext, EXIT } from './context.ts'
import type { ManagementApi } from './management-api.ts'
import { type Common, get } from './request.ts'
import { ApiError, isOutcomeUnknown, isThisMachine } from './service.ts'
import { jsonLine } from './table.ts'

interface Finding {
  state: 'ok' | 'warning' | 'error'
  what: string
}

const MARKS = { ok: 'ok  ', warning: 'warn', error: 'FAIL' }
const MAX_SKEW_MS = 5_000

export async function checkHealth(api: ManagementApi, { json }: Common, context: CliContext): Promise<number> {
  const { out, now } = context
  const findings: Finding[] = []
  const add = (...some: Finding[]) => {
    findings.push(...some)
    if (!json) for (const { state, what } of some) out(`${MARKS[state]}  ${what}`)
  }
  add(...(await checkAddress(api, now)))
  const isFailed = () => findings.some(({ state }) => state === 'error')
  // A service that is not ready has no findings.
  if (!isFailed()) add(...(await loadFindings(api)))
  if (json) out(jsonLine({ ok: !isFailed(), findings }))
  return isFailed() ? EXIT.refused : EXIT.done
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

/** Only an operator gets the findings of the service. */
async function loadFindings(api: ManagementApi): Promise<Finding[]> {
  try {
    const { findings } = await api.request(get('/doctor'))
    return [
      { state: 'ok', what: 'authenticated as operator' },
      ...findings.map(({ state, what }: Finding) => ({ state, what })),
    ]
  } catch (error) {
    if (!(error instanceof ApiError) || isOutcomeUnknown(error)) throw error
    return error.status === 404
      ? [{ state: 'ok', what: 'authenticated as owner; only operators see carriers and routes' }]
      : [{ state: 'error', what: `authentication failed: ${error.message}` }]
  }
}
