// The settings that a carrier is created and changed with: a table for all carriers, and one for each kind.
import { z } from 'zod'
import { type Carrier, type CommonSettings, USUAL_COMMON } from '../../domain/carriers/carrier.ts'
import { HTTP_BOUNDS } from '../../domain/carriers/http/description.ts'
import {
  BIND_MODES,
  CARRIER_ALPHABETS,
  ID_FORMATS,
  LONG_MESSAGES,
  USUAL_SMPP,
} from '../../domain/carriers/smpp/smpp-settings.ts'
import { line } from '../fields.ts'
import { changedSecretsField, httpDescription, secrets } from './http-carrier-fields.ts'
import { host, octetsField, port, senderField, smppChange, tlsKey } from './smpp-settings.ts'
import { statusOverrides } from './status-overrides.ts'

const idFormat = z.enum(ID_FORMATS)
/** Of submissions in a row; null is never. */
const streak = z.number().int().min(1).max(1000).nullable()

export const common = {
  name: line(100),
  binds: z
    .number()
    .int()
    .min(1)
    .max(50)
    .describe('Connections, or over HTTP processes that may call, over all processes.'),
  window: z.number().int().min(1).max(1000).describe('Submissions that may be unanswered on each of these.'),
  answerSeconds: z.number().int().min(1).max(300),
  segmentsPerSecond: z.number().int().min(1).max(100_000).nullable().describe('null is no limit.'),
  defaultSender: senderField.nullable(),
  resendUnknown: z.boolean(),
  breakAfterUnanswered: streak.describe('So many in a row without an answer break its circuit; null is never.'),
  breakAfterRefused: streak.describe('So many refusals in a row break its circuit; null is never.'),
  enabled: z.boolean(),
} satisfies { [Name in keyof CommonSettings]: z.ZodType }

/** Beside `smpp`, which has what few carriers need. */
export const ofSmpp = {
  host,
  port,
  tls: z.boolean(),
  systemId: octetsField.min(1).max(15),
  password: octetsField.max(16),
  systemType: octetsField.max(12),
  bindMode: z.enum(BIND_MODES),
  // Answers and reports may write ids differently.
  idFormat: z.union([idFormat, z.strictObject({ answers: idFormat, reports: idFormat })]),
  receiptsByText: z.boolean(),
  alphabet: z.enum(CARRIER_ALPHABETS),
  longMessages: z.enum(LONG_MESSAGES),
  sourceTon: z.number().int().min(0).max(255).nullable(),
  sourceNpi: z.number().int().min(0).max(255).nullable(),
  statusOverrides,
  tlsKey,
}
const { tls, systemType, bindMode, receiptsByText, alphabet, longMessages, sourceTon, sourceNpi } = USUAL_SMPP
const usualOfSmpp = {
  ...{ tls, systemType, bindMode, idFormat: USUAL_SMPP.answerIdFormat, receiptsByText, alphabet, longMessages },
  ...{ sourceTon, sourceNpi, statusOverrides: USUAL_SMPP.statusOverrides, tlsKey: null },
}

export const newSmppCarrier = z
  .strictObject({
    kind: z.literal('smpp').optional().describe('What it speaks; this, where it is not said.'),
    ...withDefaults(common, USUAL_COMMON),
    ...withDefaults(ofSmpp, usualOfSmpp),
    smpp: smppChange.default({}),
  })
  .meta({ title: 'NewCarrier' })

export const newHttpCarrier = z
  .strictObject({
    kind: z.literal('http'),
    ...withDefaults(common, USUAL_COMMON),
    http: httpDescription.optional().describe('This, or a preset.'),
    preset: z.string().max(40).optional().describe('A provider by name: see `GET /carrier-presets`.'),
    presetValues: z
      .record(z.string().max(40), z.string().max(HTTP_BOUNDS.template))
      .refine((some) => Object.keys(some).length <= HTTP_BOUNDS.secrets, `Must be at most ${HTTP_BOUNDS.secrets}`)
      .default({})
      .describe('What the preset leaves open.'),
    secrets: secrets.default({}).describe('Values by the names that the description has as `{secret.NAME}`.'),
  })
  .meta({ title: 'NewHttpCarrier' })

const ofHttp = { http: httpDescription, secrets: changedSecretsField }

export const carrierPatch = z
  .strictObject({ ...common, ...ofSmpp, smpp: smppChange, ...ofHttp })
  .partial()
  .meta({ title: 'CarrierChange', description: 'What is of the other kind of carrier is refused.' })

/** Whether a carrier of this kind has such a setting. */
export function isOfKind(name: string, kind: Carrier['kind']): boolean {
  return name in common || (kind === 'http' ? name in ofHttp : name in ofSmpp || name === 'smpp')
}

export function idFormats(ids: z.infer<typeof ofSmpp.idFormat>) {
  const { answers, reports } = typeof ids === 'string' ? { answers: ids, reports: ids } : ids
  return { answerIdFormat: answers, reportIdFormat: reports }
}

type Fields = Record<string, z.ZodType>
type WithDefaults<Of extends Fields, Usual> = {
  [Name in keyof Of]: Name extends keyof Usual ? z.ZodDefault<Of[Name]> : Of[Name]
}

/** Each field has its usual value where it is left out. */
function withDefaults<Of extends Fields, Usual extends { [Name in keyof Of]?: z.output<Of[Name]> }>(
  fields: Of,
  usual: Usual,
): WithDefaults<Of, Usual> {
  const all = Object.entries(fields).map(([name, field]) => [name, name in usual ? field.default(usual[name]) : field])
  return Object.fromEntries(all)
}
