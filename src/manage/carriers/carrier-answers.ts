// What is told of a carrier: its settings, whether it works, and how each of its binds does.
import { z } from 'zod'
import { carrierHealth } from '../../domain/carriers/carrier-health.ts'
import { time } from '../../http/time.ts'
import type { StoredBind } from '../../store/carriers/carrier-binds.ts'
import { CARRIER_KINDS, type Carrier } from '../../store/carriers/carriers.ts'
import { settings } from './carrier-settings.ts'
import { httpDescription } from './http-carrier-fields.ts'
import { smppAnswer, smppView } from './smpp-settings.ts'
import { overridesAnswer } from './status-overrides.ts'

export const bindAnswer = z.object({
  number: z.int(),
  mode: z.enum(['transceiver', 'transmitter', 'receiver']),
  state: z
    .enum(['idle', 'connecting', 'bound', 'waiting'])
    .describe('`bound` is what you want; `idle` is held by nobody.'),
  peer: z.string().nullable().describe('The host and port that it is bound to.'),
  boundAt: time.nullable(),
  inFlight: z.int(),
  segmentsPerSecond: z.number(),
  lastError: z.string().nullable(),
  lastErrorAt: time.nullable(),
})

export const healthAnswer = z
  .object({
    state: z.enum(['working', 'broken', 'down', 'off']),
    reason: z.string().nullable(),
    since: time.nullable(),
  })
  .describe('Whether it works, over all processes; while it is `broken`, one message at a time tries it.')

/** As it is kept, with everything that was left out of it. */
const describedHttp = z.object(httpDescription.shape).meta({ title: 'DescribedHttp' })

export const carrierAnswer = z
  .object({
    id: z.uuid(),
    kind: z.enum(CARRIER_KINDS).describe('What it speaks. Of `http`, what is of SMPP alone is as it usually is.'),
    http: describedHttp.nullable().describe('How a carrier of kind `http` is spoken to.'),
    secretNames: z.array(z.string()).describe('Of the secrets that it was given; what they are is never told.'),
    name: z.string(),
    host: z.string(),
    port: z.int(),
    tls: z.boolean(),
    systemId: z.string(),
    systemType: z.string(),
    bindMode: settings.bindMode,
    binds: z.int(),
    window: z.int(),
    answerSeconds: z.int(),
    segmentsPerSecond: z.int().nullable().describe('null is no limit.'),
    idFormat: settings.idFormat,
    receiptsByText: z.boolean(),
    alphabet: settings.alphabet,
    longMessages: settings.longMessages,
    sourceTon: z.int().nullable(),
    sourceNpi: z.int().nullable(),
    defaultSender: z.string().nullable(),
    statusOverrides: overridesAnswer,
    resendUnknown: z.boolean(),
    breakAfterUnanswered: settings.breakAfterUnanswered.describe(
      'So many in a row without an answer break its circuit; null is never.',
    ),
    breakAfterRefused: settings.breakAfterRefused.describe(
      'So many refusals in a row break its circuit; null is never.',
    ),
    smpp: smppAnswer.nullable().describe('null of one over HTTP.'),
    hasTlsKey: z.boolean(),
    enabled: z.boolean(),
    health: healthAnswer,
    state: z.array(bindAnswer).describe('Of each bind, as it is now.'),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ title: 'Carrier', description: 'Its settings and how its binds do; never its password.' })

export function viewOf(carrier: Carrier, binds: StoredBind[]): z.input<typeof carrierAnswer> {
  const { passwordSealed: _, tlsKeySealed, answerIdFormat, reportIdFormat, smpp, http, ...rest } = carrier
  const same = answerIdFormat === reportIdFormat
  return {
    ...rest,
    http: http?.description ?? null,
    secretNames: http?.secretNames ?? [],
    idFormat: same ? answerIdFormat : { answers: answerIdFormat, reports: reportIdFormat },
    smpp: carrier.kind === 'http' ? null : smppView(smpp),
    hasTlsKey: tlsKeySealed !== null,
    health: carrierHealth({ enabled: carrier.enabled, binds }),
    state: binds.map(viewOfBind),
  }
}

export function viewOfBind({
  number,
  mode,
  state,
  peer,
  boundAt,
  inFlight,
  segmentsPerSecond,
  lastError,
  lastErrorAt,
}: StoredBind) {
  return { number, mode, state, peer, boundAt, inFlight, segmentsPerSecond, lastError, lastErrorAt }
}
