// The settings of a carrier as request bodies: common settings, and settings of each kind.
import { z } from 'zod'
import type { Carrier } from '../../domain/carriers/carrier.ts'
import { type CommonSettings, DEFAULT_COMMON_SETTINGS } from '../../domain/carriers/common-settings.ts'
import { HTTP_BOUNDS } from '../../domain/carriers/http/description.ts'
import {
  BIND_MODES,
  CARRIER_ALPHABETS,
  DEFAULT_SMPP_SETTINGS,
  ID_FORMATS,
  LONG_MESSAGES,
} from '../../domain/carriers/smpp/smpp-settings.ts'
import { line } from '../fields.ts'
import { changedSecretsField, httpDescription, secrets } from './http-carrier-fields.ts'
import { host, octetsField, port, senderField, smppChange, tlsKey } from './smpp-settings.ts'
import { statusOverrides } from './status-overrides.ts'

const idFormat = z.enum(ID_FORMATS)
/** Consecutive submissions; null: never. */
const streak = z.number().int().min(1).max(1000).nullable()

export const common = {
  name: line(100).describe('Unique name.'),
  binds: z.number().int().min(1).max(50).describe('Connections over all processes; for HTTP, processes that may send.'),
  window: z.number().int().min(1).max(1000).describe('Unanswered submissions per connection.'),
  answerSeconds: z.number().int().min(1).max(300).describe('Timeout of a submission, in seconds.'),
  segmentsPerSecond: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .nullable()
    .describe('Rate limit over all connections. Default: `null` (no limit).'),
  defaultSender: senderField
    .nullable()
    .describe('Sender for messages whose sender the carrier does not accept. Default: `null` (SMS).'),
  resendUnknown: z.boolean().describe('Retry a submission with an unknown outcome; the message may arrive twice.'),
  breakAfterUnanswered: streak.describe(
    'Unanswered submissions in a row that mark the carrier as broken; null: never.',
  ),
  breakAfterRefused: streak.describe('Rejected submissions in a row that mark the carrier as broken; null: never.'),
  enabled: z.boolean().describe('Connect the carrier.'),
} satisfies { [Name in keyof CommonSettings]: z.ZodType }

/** The common SMPP settings; `smpp` has the rare ones. */
export const ofSmpp = {
  host: host.describe('Host name or IP address.'),
  port: port.describe('TCP port.'),
  tls: z.boolean().describe('Encrypt the connection with TLS.'),
  systemId: octetsField.min(1).max(15).describe('Account name (system_id).'),
  password: octetsField.max(16).describe('Password of the account.'),
  systemType: octetsField.max(12).describe('system_type, if the carrier requires one.'),
  bindMode: z.enum(BIND_MODES).describe('One connection for both directions, or separate transmitters and receivers.'),
  idFormat: z
    .union([idFormat, z.strictObject({ answers: idFormat, reports: idFormat })])
    .describe('Message ID format: opaque, hex or decimal, or {"answers": "hex", "reports": "decimal"}.'),
  receiptsByText: z.boolean().describe('Detect receipts by text, if the carrier sets no receipt flag.'),
  alphabet: z.enum(CARRIER_ALPHABETS).describe('Default alphabet of the carrier.'),
  longMessages: z.enum(LONG_MESSAGES).describe('How the segments of a long message are marked.'),
  sourceTon: z.number().int().min(0).max(255).nullable().describe('source_addr_ton. Default: `null` (by the sender).'),
  sourceNpi: z.number().int().min(0).max(255).nullable().describe('source_addr_npi. Default: `null` (by the sender).'),
  statusOverrides: statusOverrides.describe(
    'Meaning of statuses, as an object with answers, reports and states. Default: none.',
  ),
  tlsKey: tlsKey.describe('Private key of the client certificate, in PEM; never shown.'),
}
const { tls, systemType, bindMode, receiptsByText, alphabet, longMessages, sourceTon, sourceNpi } =
  DEFAULT_SMPP_SETTINGS
const usualOfSmpp = {
  ...{
    tls,
    systemType,
    bindMode,
    idFormat: DEFAULT_SMPP_SETTINGS.answerIdFormat,
    receiptsByText,
    alphabet,
    longMessages,
  },
  ...{ sourceTon, sourceNpi, statusOverrides: DEFAULT_SMPP_SETTINGS.statusOverrides, tlsKey: null },
}

export const newSmppCarrier = z
  .strictObject({
    kind: z.literal('smpp').optional().describe('Protocol. Default: smpp.'),
    ...withDefaults(common, DEFAULT_COMMON_SETTINGS),
    ...withDefaults(ofSmpp, usualOfSmpp),
    smpp: smppChange.default({}),
  })
  .meta({ title: 'NewCarrier' })

export const newHttpCarrier = z
  .strictObject({
    kind: z.literal('http'),
    ...withDefaults(common, DEFAULT_COMMON_SETTINGS),
    http: httpDescription.optional().describe('HTTP description, as an object; or give a preset.'),
    preset: z.string().max(40).optional().describe('Name of a provider, from the list of presets.'),
    presetValues: z
      .record(z.string().max(40), z.string().max(HTTP_BOUNDS.template))
      .refine((some) => Object.keys(some).length <= HTTP_BOUNDS.secrets, `Must be at most ${HTTP_BOUNDS.secrets}`)
      .default({})
      .describe('Values of the preset. Default: none.'),
    secrets: secrets
      .default({})
      .describe('Secrets of an HTTP carrier, by the names in `{secret.NAME}`. Default: none.'),
  })
  .meta({ title: 'NewHttpCarrier' })

const ofHttp = {
  http: httpDescription,
  secrets: changedSecretsField.describe('Secrets of an HTTP carrier, by name; null removes one.'),
}

export const carrierPatch = z
  .strictObject({ ...common, ...ofSmpp, smpp: smppChange, ...ofHttp })
  .partial()
  .meta({ title: 'CarrierChange', description: 'Settings of the other kind of carrier are refused.' })

/** Whether a carrier of this kind has the setting. */
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

function withDefaults<Of extends Fields, Usual extends { [Name in keyof Of]?: z.output<Of[Name]> }>(
  fields: Of,
  usual: Usual,
): WithDefaults<Of, Usual> {
  const all = Object.entries(fields).map(([name, field]) => [name, name in usual ? field.default(usual[name]) : field])
  return Object.fromEntries(all)
}
