// Converts the settings of a carrier to the fields of a form and back.
import { DEFAULT_COMMON_SETTINGS } from '../../src/domain/carriers/common-settings.ts'
import type { Carrier, CarrierChange, NewCarrier, SmppCarrier } from '../api/calls.ts'
import { numberOf } from '../parts/number-of.ts'

const COMMON = [
  ...(['name', 'binds', 'window', 'answerSeconds', 'segmentsPerSecond'] as const),
  ...(['defaultSender', 'resendUnknown', 'enabled'] as const),
] as const
const SMPP = [
  ...(['host', 'port', 'tls', 'systemId', 'systemType', 'bindMode'] as const),
  ...(['alphabet', 'longMessages', 'receiptsByText'] as const),
] as const
const NUMBERS: readonly string[] = ['port', 'binds', 'window', 'answerSeconds', 'segmentsPerSecond']
const NULL_IF_EMPTY: readonly string[] = ['segmentsPerSecond', 'defaultSender']

type IdFormat = 'opaque' | 'hex' | 'decimal'
type Name = (typeof COMMON)[number] | (typeof SMPP)[number]
type FormValue<Value> = [Value] extends [boolean | string] ? Value : string

export type Settings = { [It in Name]: FormValue<SmppCarrier[It]> } & {
  password: string
  answerIds: IdFormat
  reportIds: IdFormat
}

const SMPP_DEFAULTS = {
  ...{ host: '', port: 2775, tls: false, systemId: '', systemType: '', bindMode: 'transceiver' },
  ...{ alphabet: 'gsm', longMessages: 'udh', receiptsByText: false },
} as const

export const DEFAULTS: Settings = {
  ...formOf({ name: '', ...DEFAULT_COMMON_SETTINGS, ...SMPP_DEFAULTS }, [...COMMON, ...SMPP]),
  ...{ password: '', answerIds: 'opaque', reportIds: 'opaque' },
}

/** An HTTP carrier has only the common settings in the form. */
export function settingsOf(carrier: Carrier): Settings {
  const common = { ...DEFAULTS, ...formOf(carrier, COMMON) }
  if (carrier.kind === 'http') return common
  const { idFormat: ids } = carrier
  const { answers, reports } = typeof ids === 'string' ? { answers: ids, reports: ids } : ids
  return { ...common, ...formOf(carrier, SMPP), answerIds: answers, reportIds: reports }
}

export function newOf({ answerIds, reportIds, ...it }: Settings): NewCarrier {
  const all = Object.entries(it).map(([name, value]) => [name, apiValueOf(name, value)])
  const idFormat = answerIds === reportIds ? answerIds : { answers: answerIds, reports: reportIds }
  return { ...Object.fromEntries(all), idFormat }
}

/** A blank password is omitted, so that the stored one is kept. An HTTP carrier changes only its common settings here. */
export function changeOf(it: Settings, kind: Carrier['kind'] = 'smpp'): CarrierChange {
  const { password, ...rest } = newOf(it)
  if (kind === 'http') return Object.fromEntries(COMMON.map((name) => [name, rest[name]]))
  return password === '' ? rest : { ...rest, password }
}

function formOf<Names extends Name>(
  settings: { [It in Names]: unknown },
  names: readonly Names[],
): Pick<Settings, Names> {
  const texts = names.map((name): [Names, unknown] => {
    const value = settings[name]
    return [name, value === null ? '' : typeof value === 'number' ? String(value) : value]
  })
  return Object.fromEntries(texts) as Pick<Settings, Names>
}

function apiValueOf(name: string, value: string | boolean): unknown {
  if (typeof value === 'boolean') return value
  if (NULL_IF_EMPTY.includes(name) && value.trim() === '') return null
  return NUMBERS.includes(name) ? numberOf(value) : value
}
