// Is all well: what can be seen from here, the address and the token, and what the service itself finds.
import type { ManagementApi } from './management-api.ts'
import { type Common, get } from './request.ts'
import { isThisMachine, isUnknown, Refused } from './service.ts'
import { EXIT, type Surroundings } from './surroundings.ts'
import { jsonLine } from './table.ts'

interface Finding {
  state: 'well' | 'look' | 'bad'
  what: string
}

const well = (what: string): Finding => ({ state: 'well', what })
const look = (what: string): Finding => ({ state: 'look', what })
const bad = (what: string): Finding => ({ state: 'bad', what })

const MARKS = { well: 'ok  ', look: 'look', bad: 'BAD ' }
const MOST_SKEW_MS = 5_000

export async function examine(service: ManagementApi, { json }: Common, { out, now }: Surroundings): Promise<number> {
  const findings: Finding[] = []
  const find = (...some: Finding[]) => {
    findings.push(...some)
    if (!json) for (const { state, what } of some) out(`${MARKS[state]}  ${what}`)
  }
  const address = await examineAddress(service, now)
  find(...address)
  // What is not ready cannot tell more.
  if (!address.some(({ state }) => state === 'bad')) find(...(await judgements(service)))
  const isBad = findings.some(({ state }) => state === 'bad')
  if (json) out(jsonLine({ well: !isBad, findings }))
  return isBad ? EXIT.refused : EXIT.done
}

async function examineAddress(service: ManagementApi, now: () => Date): Promise<Finding[]> {
  const { status: life, date, body: alive } = await service.exchange('/livez')
  if (life !== 200 || alive?.status !== 'ok') throw service.unlikeHulaki(life)
  const { status, body } = await service.exchange('/readyz')
  const skewMs = date === null ? 0 : Math.abs(date.getTime() - now().getTime())
  return [
    well(`${service.url.origin} answers`),
    status === 200 ? well('it is ready') : bad(`it is not ready: ${body?.reason ?? `it answers ${status}`}`),
    ...(service.url.protocol === 'http:' && !isThisMachine(service.url)
      ? [look('the token travels unencrypted to another machine; use https, or a tunnel')]
      : []),
    ...(skewMs > MOST_SKEW_MS
      ? [look(`the clocks of the two machines are ${Math.round(skewMs / 1000)} s apart; let both follow NTP`)]
      : []),
  ]
}

/** Only the operator is shown the state of the service. */
async function judgements(service: ManagementApi): Promise<Finding[]> {
  try {
    const { findings } = await service.ask(get('/doctor'))
    return [well("the token is the operator's"), ...findings.map(({ state, what }: Finding) => ({ state, what }))]
  } catch (fault) {
    if (!(fault instanceof Refused) || isUnknown(fault)) throw fault
    return [
      fault.status === 404
        ? well("the token is an owner's; carriers and routes are the operator's to see")
        : bad(`the token does not serve: ${fault.message}`),
    ]
  }
}
