// Pauses and resumes sending (§7.1 sms_disabled), and manages the countries (§2.4).
import { type Refusal, refuse } from '../../domain/refusals.ts'
import { type Country, deleteCountry, findCountry, storeCountry } from '../../store/carriers/countries.ts'
import { lockService, raiseRoutingRevision, setSmsEnabled } from '../../store/service/service.ts'
import type { Caller, Ports } from '../ports.ts'
import { differences, recordChange } from '../record-change.ts'

export function switchSms(ports: Ports, caller: Caller, smsEnabled: boolean): Promise<void> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const before = await lockService(tx)
    if (before.smsEnabled === smsEnabled) return
    await setSmsEnabled(tx, smsEnabled)
    const details = differences({ smsEnabled: before.smsEnabled }, { smsEnabled })
    await recordChange(tx, { ports, caller, workspaceId: null, action: 'service.changed', subject: 'service', details })
  })
}

export async function putCountry(ports: Ports, caller: Caller, country: Country): Promise<void> {
  await ports.managementDb(caller.actor).transaction(async (tx) => {
    const before = (await findCountry(tx, country.code)) ?? {}
    const details = differences(before, country)
    if (Object.keys(details).length === 0) return
    await storeCountry(tx, country)
    await raiseRoutingRevision(tx)
    await recordChange(tx, {
      ports,
      caller,
      workspaceId: null,
      action: 'country.changed',
      subject: country.code,
      details,
    })
  })
  // D62: the routing policy of a country may have changed.
  ports.notifications.notify('carriers')
}

/** Only once it is off: its quiet hours (D16) apply while messages are sent there. */
export function removeCountry(ports: Ports, caller: Caller, code: string): Promise<Country | Refusal> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const country = await findCountry(tx, code)
    if (!country) return refuse('not_found')
    if (country.state !== 'off') {
      return refuse('conflict', {
        error: `${country.name} is ${country.state}; set its state to off first`,
      })
    }
    await deleteCountry(tx, code)
    const { name } = country
    const change = { workspaceId: null, action: 'country.removed', subject: code, details: { name } }
    await recordChange(tx, { ports, caller, ...change })
    return country
  })
}
