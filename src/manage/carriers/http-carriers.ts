// A carrier over HTTP as settings: what is given is judged whole, with every fault at its place, before anything is kept (D48).
import type { z } from 'zod'
import { withItsCallback } from '../../actions/carriers/carrier-callbacks.ts'
import { httpSecretsOf, type NewCarrier } from '../../actions/carriers/manage-carriers.ts'
import type { Ports } from '../../actions/ports.ts'
import { callbackTokenOf, hashCallback } from '../../domain/carriers/http/callback.ts'
import { HTTP_BOUNDS, type HttpDescription, type Secrets } from '../../domain/carriers/http/description.ts'
import { expandPreset } from '../../domain/carriers/http/expand-preset.ts'
import { judgeDescription } from '../../domain/carriers/http/judge.ts'
import { partsOf } from '../../domain/carriers/http/request.ts'
import { changedSecrets, packSecrets, secretNamesOf } from '../../domain/carriers/http/secrets.ts'
import { USUAL_SMPP } from '../../domain/carriers/smpp/smpp-settings.ts'
import { Refusal, refuse, refuseField } from '../../domain/refusals.ts'
import { hostOf, type IsAllowedAddress } from '../../domain/webhooks/receiver-url.ts'
import type { PublicUrl } from '../../http/address.ts'
import type { Carrier, CarrierSettings } from '../../store/carriers/carriers.ts'
import { type changedSecretsField, descriptionOf, type httpDescription } from './http-carrier-fields.ts'

/** What is of SMPP, where there is none. A long message goes whole, in one call. */
const NOT_SMPP = {
  systemId: '',
  systemType: '',
  bindMode: 'transceiver',
  answerIdFormat: 'opaque',
  reportIdFormat: 'opaque',
  receiptsByText: false,
  alphabet: 'gsm',
  longMessages: 'payload',
  sourceTon: null,
  sourceNpi: null,
  statusOverrides: { answers: {}, reports: {}, states: {} },
  smpp: USUAL_SMPP,
  tlsKey: null,
} as const satisfies Partial<CarrierSettings & NewCarrier>

type Given = Pick<
  NewCarrier,
  | 'name'
  | 'binds'
  | 'window'
  | 'answerSeconds'
  | 'segmentsPerSecond'
  | 'defaultSender'
  | 'resendUnknown'
  | 'breakAfterUnanswered'
  | 'breakAfterRefused'
  | 'enabled'
> & {
  kind: 'http'
  http?: z.output<typeof httpDescription> | undefined
  preset?: string | undefined
  presetValues: Record<string, string>
  secrets: Secrets
}

export function newHttpCarrier(given: Given, judging: HttpJudging): NewCarrier | Refusal {
  const { http, preset, presetValues, secrets, ...rest } = given
  const description = describedBy(given, judging.publicUrl !== null)
  if (description instanceof Refusal) return description
  const made = settingsOf(description, secrets, { ...judging, at: http ? 'http' : 'preset' })
  return made instanceof Refusal ? made : { ...NOT_SMPP, ...rest, ...made }
}

export interface HttpJudging {
  ports: Ports
  isAllowed: IsAllowedAddress
  publicUrl: PublicUrl
}

function describedBy(
  { http, preset, presetValues: values, secrets }: Given,
  hasPublicUrl: boolean,
): HttpDescription | Refusal {
  if (http !== undefined && preset !== undefined) return refuseField('preset', 'Must not stand beside http')
  if (http !== undefined && Object.keys(values).length > 0) return refuseField('presetValues', 'Are for a preset alone')
  if (http !== undefined) return descriptionOf(http)
  if (preset === undefined) return refuseField('http', 'A carrier over HTTP needs a description, or a preset')
  const expanded = expandPreset({ preset, values, secrets, hasPublicUrl })
  return Array.isArray(expanded) ? refuse('invalid_request', { details: expanded }) : expanded
}

export interface HttpChange {
  http: z.output<typeof httpDescription> | undefined
  secrets: z.output<typeof changedSecretsField> | undefined
}

/** What of its settings another description, or other secrets, change. */
export function changedHttpCarrier(carrier: Carrier, { http, secrets }: HttpChange, judging: HttpJudging) {
  if (!carrier.http || (http === undefined && secrets === undefined)) return {}
  const description = http ? descriptionOf(http) : carrier.http.description
  const before = httpSecretsOf(judging.ports, carrier)
  return settingsOf(description, changedSecrets(before, secrets ?? {}), { ...judging, at: 'http' })
}

/** Faults are told at the field that the description came by. */
function settingsOf(
  description: HttpDescription,
  given: Secrets,
  { ports, isAllowed, publicUrl, at }: HttpJudging & { at: 'http' | 'preset' },
) {
  const secretNames = secretNamesOf(given)
  if (secretNames.length > HTTP_BOUNDS.secrets) return refuseField('secrets', `Must be at most ${HTTP_BOUNDS.secrets}`)
  const faults = judgeDescription(description, { isAllowed, secretNames, hasPublicUrl: publicUrl !== null })
  if (faults.length > 0)
    return refuse('invalid_request', { details: faults.map((it) => ({ ...it, path: [at, ...it.path] })) })
  const url = new URL(partsOf(description.url).origin)
  const tls = url.protocol === 'https:'
  const secrets = withItsCallback(ports, description, given)
  const token = callbackTokenOf(secrets)
  return {
    http: { description, secretNames, callbackHash: token === null ? null : hashCallback(token) },
    password: packSecrets(secrets),
    host: hostOf(url.hostname),
    port: Number(url.port) || (tls ? 443 : 80),
    tls,
  }
}
