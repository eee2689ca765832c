// Checks the settings of an HTTP carrier, with every error at its field (D48).
import type { z } from 'zod'
import { withCallbackToken } from '../../actions/carriers/carrier-callbacks.ts'
import { decryptHttpSecrets } from '../../actions/carriers/carrier-secrets.ts'
import type { NewCarrier } from '../../actions/carriers/manage-carriers.ts'
import type { Ports } from '../../actions/ports.ts'
import type { HttpCarrier } from '../../domain/carriers/carrier.ts'
import { callbackTokenOf, hashCallback } from '../../domain/carriers/http/callback.ts'
import { HTTP_BOUNDS, type HttpDescription } from '../../domain/carriers/http/description.ts'
import { expandPreset } from '../../domain/carriers/http/expand-preset.ts'
import { validateDescription } from '../../domain/carriers/http/validate-description.ts'
import type { HttpSecrets } from '../../domain/carriers/secrets.ts'
import { applySecretChanges, secretNamesOf } from '../../domain/carriers/secrets.ts'
import type { IsAllowedAddress } from '../../domain/outbound-address.ts'
import { Refusal, refuse, refuseField } from '../../domain/refusals.ts'
import type { PublicUrl } from '../../http/address.ts'
import type { carrierPatch, newHttpCarrier } from './carrier-settings.ts'
import { httpDescriptionOf } from './http-carrier-fields.ts'

type NewHttpCarrier = z.output<typeof newHttpCarrier>

export function newHttpCarrierSettings(body: NewHttpCarrier, context: HttpContext): NewCarrier | Refusal {
  const { http, preset, presetValues, secrets, ...common } = body
  const description = describedBy(body, context.publicUrl !== null)
  if (description instanceof Refusal) return description
  const made = settingsOf(description, secrets, { ...context, at: http ? 'http' : 'preset' })
  return made instanceof Refusal ? made : { ...common, ...made }
}

export interface HttpContext {
  ports: Ports
  isAllowed: IsAllowedAddress
  publicUrl: PublicUrl
}

function describedBy(
  { http, preset, presetValues: values, secrets }: NewHttpCarrier,
  hasPublicUrl: boolean,
): HttpDescription | Refusal {
  if (http !== undefined && preset !== undefined)
    return refuseField('preset', 'Must not be combined with http; remove one of the two')
  if (http !== undefined && Object.keys(values).length > 0) return refuseField('presetValues', 'Need a preset')
  if (http !== undefined) return httpDescriptionOf(http)
  if (preset === undefined) return refuseField('http', 'An HTTP carrier needs http or a preset')
  const expanded = expandPreset({ preset, values, secrets, hasPublicUrl })
  return Array.isArray(expanded) ? refuse('invalid_request', { details: expanded }) : expanded
}

type HttpChange = Pick<z.output<typeof carrierPatch>, 'http' | 'secrets'>

export function changeHttpSettings(carrier: HttpCarrier, { http, secrets }: HttpChange, context: HttpContext) {
  if (http === undefined && secrets === undefined) return {}
  const description = http ? httpDescriptionOf(http) : carrier.http.description
  const before = decryptHttpSecrets(context.ports, carrier)
  return settingsOf(description, applySecretChanges(before, secrets ?? {}), { ...context, at: 'http' })
}

/** Errors have the path of the field that contains the description. */
function settingsOf(
  description: HttpDescription,
  given: HttpSecrets,
  { ports, isAllowed, publicUrl, at }: HttpContext & { at: 'http' | 'preset' },
) {
  const secretNames = secretNamesOf(given)
  if (secretNames.length > HTTP_BOUNDS.secrets)
    return refuseField('secrets', `Must have at most ${HTTP_BOUNDS.secrets} secrets`)
  const errors = validateDescription(description, { isAllowed, secretNames, hasPublicUrl: publicUrl !== null })
  if (errors.length > 0)
    return refuse('invalid_request', { details: errors.map((it) => ({ ...it, path: [at, ...it.path] })) })
  const secrets = withCallbackToken(ports, description, given)
  const token = callbackTokenOf(secrets)
  const callbackHash = token === null ? null : hashCallback(token)
  return { http: { description, secretNames, callbackHash }, secrets }
}
