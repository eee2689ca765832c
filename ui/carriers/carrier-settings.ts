// The settings of a carrier as a form has them, which is text, and as the service takes them.
import type { Carrier, CarrierChange, NewCarrier } from '../api/calls.ts'
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
  bindMode: Carrier['bindMode']
  binds: string
  window: string
  answerSeconds: string
  segmentsPerSecond: string
  answerIds: IdFormat
  reportIds: IdFormat
  alphabet: Carrier['alphabet']
  longMessages: Carrier['longMessages']
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

export function settingsOf(carrier: Carrier): Settings {
  const { name, host, tls, systemId, systemType, bindMode, alphabet, longMessages, idFormat } = carrier
  const ids = typeof idFormat === 'string' ? { answers: idFormat, reports: idFormat } : idFormat
  return {
    ...{ name, host, tls, systemId, systemType, bindMode, alphabet, longMessages },
    port: String(carrier.port),
    password: '',
    binds: String(carrier.binds),
    window: String(carrier.window),
    answerSeconds: String(carrier.answerSeconds),
    segmentsPerSecond: carrier.segmentsPerSecond === null ? '' : String(carrier.segmentsPerSecond),
    answerIds: ids.answers,
    reportIds: ids.reports,
    defaultSender: carrier.defaultSender ?? '',
    receiptsByText: carrier.receiptsByText,
    resendUnknown: carrier.resendUnknown,
    enabled: carrier.enabled,
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
    return {
      name,
      binds,
      window,
      answerSeconds,
      segmentsPerSecond,
      defaultSender,
      resendUnknown,
      enabled,
    } as CarrierChange
  }
  return password === '' ? rest : { ...rest, password }
}
