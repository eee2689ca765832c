// What a carrier is made and changed with: every setting, its bounds and what it is when nobody says.
import { z } from 'zod'
import { HTTP_BOUNDS } from '../../domain/carriers/http/description.ts'
import {
  BIND_MODES,
  CARRIER_ALPHABETS,
  type Carrier,
  ID_FORMATS,
  LONG_MESSAGES,
} from '../../store/carriers/carriers.ts'
import { line } from '../fields.ts'
import { changedSecretsField, httpDescription, secrets } from './http-carrier-fields.ts'
import { host, octets, port, sender, smppChange, tlsKey } from './smpp-settings.ts'
import { statusOverrides } from './status-overrides.ts'

const idFormat = z.enum(ID_FORMATS)
/** Of submissions in a row; null is never. */
const streak = z.number().int().min(1).max(1000).nullable()

export const settings = {
  name: line(100),
  host,
  port,
  tls: z.boolean(),
  systemId: octets.min(1).max(15),
  password: octets.max(16),
  systemType: octets.max(12),
  bindMode: z.enum(BIND_MODES),
  binds: z.number().int().min(1).max(50),
  window: z.number().int().min(1).max(1000),
  answerSeconds: z.number().int().min(1).max(300),
  segmentsPerSecond: z.number().int().min(1).max(100_000).nullable(),
  // Answers and reports may write ids differently.
  idFormat: z.union([idFormat, z.strictObject({ answers: idFormat, reports: idFormat })]),
  receiptsByText: z.boolean(),
  alphabet: z.enum(CARRIER_ALPHABETS),
  longMessages: z.enum(LONG_MESSAGES),
  sourceTon: z.number().int().min(0).max(255).nullable(),
  sourceNpi: z.number().int().min(0).max(255).nullable(),
  defaultSender: sender.nullable(),
  statusOverrides,
  resendUnknown: z.boolean(),
  breakAfterUnanswered: streak,
  breakAfterRefused: streak,
  smpp: smppChange,
  tlsKey,
  enabled: z.boolean(),
}

export const newCarrier = z
  .strictObject({
    kind: z.literal('smpp').optional().describe('What it speaks; this, where it is not said.'),
    ...settings,
    tls: settings.tls.default(false),
    systemType: settings.systemType.default(''),
    bindMode: settings.bindMode.default('transceiver'),
    binds: settings.binds.default(1),
    window: settings.window.default(10),
    answerSeconds: settings.answerSeconds.default(30),
    segmentsPerSecond: settings.segmentsPerSecond.default(null),
    idFormat: settings.idFormat.default('opaque'),
    receiptsByText: settings.receiptsByText.default(false),
    alphabet: settings.alphabet.default('gsm'),
    longMessages: settings.longMessages.default('udh'),
    sourceTon: settings.sourceTon.default(null),
    sourceNpi: settings.sourceNpi.default(null),
    defaultSender: settings.defaultSender.default(null),
    statusOverrides: statusOverrides.default({ answers: {}, reports: {}, states: {} }),
    resendUnknown: settings.resendUnknown.default(false),
    breakAfterUnanswered: streak.default(5),
    breakAfterRefused: streak.default(20),
    smpp: smppChange.default({}),
    tlsKey: tlsKey.default(null),
    enabled: settings.enabled.default(true),
  })
  .meta({ title: 'NewCarrier' })
/** What a carrier has that is spoken to over HTTP (D48). */
const httpFields = {
  name: settings.name,
  binds: settings.binds,
  window: settings.window,
  answerSeconds: settings.answerSeconds,
  segmentsPerSecond: settings.segmentsPerSecond,
  defaultSender: settings.defaultSender,
  resendUnknown: settings.resendUnknown,
  breakAfterUnanswered: streak,
  breakAfterRefused: streak,
  enabled: settings.enabled,
}
export const newHttp = z
  .strictObject({
    kind: z.literal('http'),
    name: settings.name,
    http: httpDescription.optional().describe('This, or a preset.'),
    preset: z.string().max(40).optional().describe('A provider by name: see `GET /carrier-presets`.'),
    presetValues: z
      .record(z.string().max(40), z.string().max(HTTP_BOUNDS.template))
      .refine((some) => Object.keys(some).length <= HTTP_BOUNDS.secrets, `Must be at most ${HTTP_BOUNDS.secrets}`)
      .default({})
      .describe('What the preset leaves open.'),
    secrets: secrets.default({}).describe('Values by the names that the description has as `{secret.NAME}`.'),
    binds: settings.binds.default(1).describe('How many processes may call it at once.'),
    window: settings.window.default(10).describe('How many calls may be under way at once, for each of these.'),
    answerSeconds: settings.answerSeconds.default(30),
    segmentsPerSecond: settings.segmentsPerSecond.default(null),
    defaultSender: settings.defaultSender.default(null),
    resendUnknown: settings.resendUnknown.default(false),
    breakAfterUnanswered: streak.default(5),
    breakAfterRefused: streak.default(20),
    enabled: settings.enabled.default(true),
  })
  .meta({ title: 'NewHttpCarrier' })
export const carrierPatch = z
  .strictObject({ ...settings, http: httpDescription, secrets: changedSecretsField })
  .partial()
  .meta({ title: 'CarrierChange', description: 'What is of the other kind of carrier is refused.' })

/** Whether a carrier of this kind has such a setting. */
export function isOfKind(name: string, kind: Carrier['kind']): boolean {
  return kind === 'http' ? name in httpFields || ['http', 'secrets'].includes(name) : name in settings
}

export function idFormats(ids: z.infer<typeof settings.idFormat>) {
  const { answers, reports } = typeof ids === 'string' ? { answers: ids, reports: ids } : ids
  return { answerIdFormat: answers, reportIdFormat: reports }
}
