// The switch of the whole service (§7.1 sms_disabled) and the countries it serves (§2.4).
import { type Country, findCountry, storeCountry } from '../store/countries.ts'
import { lockService, setSmsEnabled } from '../store/service.ts'
import type { Caller, House } from './house.ts'
import { differences, recordChange } from './record-change.ts'

export function switchSms(house: House, caller: Caller, smsEnabled: boolean): Promise<void> {
  return house.db.transaction(async (tx) => {
    const before = await lockService(tx)
    if (before.smsEnabled === smsEnabled) return
    await setSmsEnabled(tx, smsEnabled)
    const details = differences({ smsEnabled: before.smsEnabled }, { smsEnabled })
    await recordChange(tx, { house, caller, workspaceId: null, action: 'service.changed', subject: 'service', details })
  })
}

export function putCountry(house: House, caller: Caller, country: Country): Promise<void> {
  return house.db.transaction(async (tx) => {
    const before = (await findCountry(tx, country.code)) ?? {}
    const details = differences(before, country)
    if (Object.keys(details).length === 0) return
    await storeCountry(tx, country)
    await recordChange(tx, {
      house,
      caller,
      workspaceId: null,
      action: 'country.changed',
      subject: country.code,
      details,
    })
  })
}
