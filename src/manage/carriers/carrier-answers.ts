// The response schema and view of a carrier: settings, health and connections.
import { z } from 'zod'
import type { Carrier } from '../../domain/carriers/carrier.ts'
import { carrierHealth } from '../../domain/carriers/carrier-health.ts'
import { time } from '../../http/time.ts'
import type { StoredBind } from '../../store/carriers/carrier-binds.ts'
import { common, ofSmpp } from './carrier-settings.ts'
import { httpDescription } from './http-carrier-fields.ts'
import { smppAnswer, smppView } from './smpp-settings.ts'
import { overridesAnswer } from './status-overrides.ts'

export const bindAnswer = z.object({
  number: z.int(),
  mode: z.enum(['transceiver', 'transmitter', 'receiver']),
  state: z
    .enum(['idle', 'connecting', 'bound', 'waiting'])
    .describe('`bound`: connected. `idle`: no process has the connection.'),
  peer: z.string().nullable().describe('Host and port of the connection.'),
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
  .describe('Health over all processes. A `broken` carrier gets one message at a time as a probe.')

/** The stored description, with its defaults. */
const describedHttp = z.object(httpDescription.shape).meta({ title: 'DescribedHttp' })

const ofEveryCarrier = {
  id: z.uuid(),
  ...common,
  health: healthAnswer,
  state: z.array(bindAnswer).describe('State of each connection.'),
  createdAt: time,
  updatedAt: time,
}
const { password: _, tlsKey: __, ...shownOfSmpp } = ofSmpp
const smppCarrierAnswer = z
  .object({
    kind: z.literal('smpp'),
    ...ofEveryCarrier,
    ...shownOfSmpp,
    statusOverrides: overridesAnswer,
    smpp: smppAnswer,
    hasTlsKey: z.boolean(),
  })
  .meta({ title: 'SmppCarrier' })
const httpCarrierAnswer = z
  .object({
    kind: z.literal('http'),
    ...ofEveryCarrier,
    http: describedHttp,
    secretNames: z.array(z.string()).describe('Names of its secrets. The values are never shown.'),
  })
  .meta({ title: 'HttpCarrier' })

export const carrierAnswer = z
  .discriminatedUnion('kind', [smppCarrierAnswer, httpCarrierAnswer])
  .meta({ title: 'Carrier', description: 'Settings and connections of a carrier, without its password.' })

export function carrierView(carrier: Carrier, binds: StoredBind[]): z.input<typeof carrierAnswer> {
  const live = {
    health: carrierHealth({ enabled: carrier.enabled, binds }),
    state: binds.map(viewOfBind),
  }
  if (carrier.kind === 'http') {
    const { secretsSealed: _, http, ...rest } = carrier
    return { ...rest, http: http.description, secretNames: http.secretNames, ...live }
  }
  const { secretsSealed: _, smpp, ...rest } = carrier
  return { ...rest, ...smppView(smpp), ...live }
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
