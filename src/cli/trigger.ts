// An event of a client, made by a message through the simulator.

import type { ManagementApi } from './management-api.ts'
import { TRIGGERS } from './many-requests.ts'
import { checkedWord, type Typed } from './request.ts'
import { EXIT, Misuse, type Surroundings } from './surroundings.ts'
import { fieldLines, jsonLine } from './table.ts'
import { idOf } from './things.ts'

export async function trigger(
  service: ManagementApi,
  { places, values, common }: Typed,
  { out }: Surroundings,
): Promise<number> {
  const [outcome = '', client = ''] = places
  if (!TRIGGERS.includes(outcome)) throw new Misuse(`There is no event '${outcome}', but ${TRIGGERS.join(', ')}.`)
  const id = await idOf('client', checkedWord('client', client), { service, ids: new Map() })
  const body = { outcome, ...(values.to !== undefined && { to: values.to }) }
  const path = `/clients/${encodeURIComponent(id)}/trigger`
  const answer = await service.ask({ method: 'POST', path, query: {}, body })
  out(common.json ? jsonLine(answer) : fieldLines(answer))
  return EXIT.done
}
