// Is all well: from the address to the last bind, each look with what to do where it is not.
import type { Json } from './command.ts'
import { isThisMachine, isUnknown, type ManagementApi, Refused } from './management-api.ts'
import { type Common, get } from './request.ts'
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
  if (!address.some(({ state }) => state === 'bad')) {
    const { finding, switches } = await whoseToken(service)
    find(finding)
    if (switches !== null) find(...(await examineService(service, switches)))
  }
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
async function whoseToken(service: ManagementApi): Promise<{ finding: Finding; switches: Json | null }> {
  try {
    const switches = await service.ask(get('/service'))
    return { finding: well("the token is the operator's"), switches }
  } catch (fault) {
    if (!(fault instanceof Refused) || isUnknown(fault)) throw fault
    const finding =
      fault.status === 404
        ? well("the token is an owner's; carriers and routes are the operator's to see")
        : bad(`the token does not serve: ${fault.message}`)
    return { finding, switches: null }
  }
}

async function examineService(service: ManagementApi, { smsEnabled }: Json): Promise<Finding[]> {
  const [countries, carriers, routes, workspaces, templates] = await Promise.all([
    service.askAll(get('/countries')),
    service.askAll(get('/carriers')),
    service.askAll(get('/routes')),
    service.askAll(get('/workspaces')),
    service.askAll(get('/templates', { status: 'pending' })),
  ])
  const live = countries.items.filter(({ state }: Json) => state === 'live')
  return [
    smsEnabled ? well('sending is switched on') : bad('sending is switched off: hulaki service change --sms-enabled'),
    ...(live.length === 0 ? [bad('no country is live, so nothing can be sent: hulaki country set')] : []),
    ...(carriers.items.length === 0 ? [bad('there is no carrier: hulaki carrier add')] : []),
    ...carriers.items.map(judgeCarrier),
    ...live.map((country: Json) => judgeCountry(country, routes.items, carriers.items)),
    ...judgeWorkspaces(workspaces.items),
    ...(templates.items.length > 0
      ? [look(`templates that wait for review: ${templates.items.length}; hulaki template list-all --status pending`)]
      : []),
  ]
}

function judgeCarrier({ name, enabled, health, state }: Json): Finding {
  if (!enabled) return look(`carrier ${name} is not enabled`)
  if (health.state === 'broken') {
    return bad(`carrier ${name} is bound, but does not work since ${health.since}: ${health.reason}`)
  }
  const bound = state.filter((bind: Json) => bind.state === 'bound').length
  const share = `carrier ${name}: ${bound} of ${state.length} binds are bound`
  if (bound > 0 && bound === state.length) return well(share)
  const lastError = state.find((bind: Json) => bind.state !== 'bound' && bind.lastError)?.lastError
  const why = lastError ?? 'no process plays the role delivery, or it has only just begun'
  return bound > 0 ? look(`${share} (${why})`) : bad(`${share} (${why})`)
}

/** Only a route for all numbers and types says that everything there has a way. */
function judgeCountry({ code, name }: Json, routes: Json[], carriers: Json[]): Finding {
  const enabled = new Set(carriers.filter((carrier) => carrier.enabled).map(({ id }) => id))
  const leading = routes.filter(({ country }) => country === code || country === '*')
  const working = leading.filter(({ carrierId }) => enabled.has(carrierId))
  if (leading.length === 0) return bad(`${name} is live, but no route leads there: hulaki route add ${code} <carrier>`)
  if (working.length === 0) return bad(`${name} is live, but its routes lead only to carriers that are not enabled`)
  return working.some(({ prefixes, types }) => prefixes.length === 0 && types === null)
    ? well(`${name} is live and has a route`)
    : look(`${name} is live, but its routes serve only some numbers or types`)
}

function judgeWorkspaces(workspaces: Json[]): Finding[] {
  const active = workspaces.filter(({ status }) => status === 'active')
  const empty = active.filter(({ balance }) => balance === 0)
  return [
    active.length > 0
      ? well(`active workspaces: ${active.length}`)
      : look('no workspace is active, so nobody can send'),
    ...empty.map(({ name, id }) => look(`workspace ${name} has no credit: hulaki credit add ${id} <amount>`)),
  ]
}
