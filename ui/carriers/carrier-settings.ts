// The settings of a carrier as a form has them, which is text, and as the service takes them.
import type { Carrier, CarrierChange, NewCarrier, SmppCarrier } from '../api/calls.ts'
import { numberOf } from '../parts/number-of.ts'

export type IdFormat = 'opaque' | 'hex' | 'decimal'

export interface Settings {
  name: string
  host: string
  port: string
  tls: boolean
  systemId: string
  password: string
  systemType: string
  bindMode: SmppCarrier['bindMode']
  binds: string
  window: string
  answerSeconds: string
  segmentsPerSecond: string
  answerIds: IdFormat
  reportIds: IdFormat
  alphabet: SmppCarrier['alphabet']
  longMessages: SmppCarrier['longMessages']
  defaultSender: string
  receiptsByText: boolean
  resendUnknown: boolean
  enabled: boolean
}

export const USUAL: Settings = {
  name: '',
  host: '',
  port: '2775',
  tls: false,
  systemId: '',
  password: '',
  systemType: '',
  bindMode: 'transceiver',
  binds: '1',
  window: '10',
  answerSeconds: '30',
  segmentsPerSecond: '',
  answerIds: 'opaque',
  reportIds: 'opaque',
  alphabet: 'gsm',
  longMessages: 'udh',
  defaultSender: '',
  receiptsByText: false,
  resendUnknown: false,
  enabled: true,
}

/** Of a carrier over HTTP, the form shows what every carrier has. */
export function settingsOf(carrier: Carrier): Settings {
  const { name, binds, window, answerSeconds, segmentsPerSecond, defaultSender, resendUnknown, enabled } = carrier
  const common = {
    ...{ name, resendUnknown, enabled },
    binds: String(binds),
    window: String(window),
    answerSeconds: String(answerSeconds),
    segmentsPerSecond: segmentsPerSecond === null ? '' : String(segmentsPerSecond),
    defaultSender: defaultSender ?? '',
  }
  return { ...USUAL, ...common, ...(carrier.kind === 'smpp' && smppOf(carrier)) }
}

function smppOf(carrier: SmppCarrier) {
  const { host, port, tls, systemId, systemType, bindMode, alphabet, longMessages, idFormat, receiptsByText } = carrier
  const ids = typeof idFormat === 'string' ? { answers: idFormat, reports: idFormat } : idFormat
  return {
    ...{ host, tls, systemId, systemType, bindMode, alphabet, longMessages, receiptsByText },
    port: String(port),
    answerIds: ids.answers,
    reportIds: ids.reports,
  }
}

export function newOf(it: Settings): NewCarrier {
  const { answerIds, reportIds, segmentsPerSecond, defaultSender, port, binds, window, answerSeconds, ...rest } = it
  return {
    ...rest,
    port: numberOf(port),
    binds: numberOf(binds),
    window: numberOf(window),
    answerSeconds: numberOf(answerSeconds),
    segmentsPerSecond: segmentsPerSecond.trim() === '' ? null : numberOf(segmentsPerSecond),
    idFormat: answerIds === reportIds ? answerIds : { answers: answerIds, reports: reportIds },
    defaultSender: defaultSender.trim() === '' ? null : defaultSender,
  }
}

/** A password that was not typed stays as it is. A carrier over HTTP has nothing of what is SMPP's; its description is not changed here. */
export function changeOf(it: Settings, kind: Carrier['kind'] = 'smpp'): CarrierChange {
  const { password, ...rest } = newOf(it)
  if (kind === 'http') {
    const { name, binds, window, answerSeconds, segmentsPerSecond, defaultSender, resendUnknown, enabled } = rest
    const common = { name, binds, window, answerSeconds, segmentsPerSecond, defaultSender, resendUnknown, enabled }
    return common as CarrierChange
  }
  return password === '' ? rest : { ...rest, password }
}
