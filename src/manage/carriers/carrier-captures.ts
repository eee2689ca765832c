// Packet captures of a carrier (D60), decoded and as a file for Wireshark.
import { z } from 'zod'
import { captureCarrier } from '../../actions/carriers/capture-carrier.ts'
import type { Ports } from '../../actions/ports.ts'
import { pcapOf, type WireFrame } from '../../domain/carriers/pcap.ts'
import { requireFound, respond } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import {
  type CarrierCapture,
  findCapture,
  listCaptures,
  listFrames,
  type StoredFrame,
} from '../../store/carriers/carrier-captures.ts'
import { findCarrier } from '../../store/carriers/carriers.ts'
import { callerOf, dbOf } from '../authenticate.ts'
import { endpointsOf, OPERATORS } from '../endpoint.ts'
import { byId, uuid, wholeListOf } from '../fields.ts'

const MAX_SECONDS = 600
const byCapture = byId.extend({ captureId: uuid })

const newCapture = z
  .strictObject({ seconds: z.int().min(1).max(MAX_SECONDS).default(60).describe('Duration in seconds.') })
  .nullish()
  .meta({ title: 'NewCarrierCapture' })
const captureAnswer = z
  .object({
    id: z.uuid(),
    carrierId: z.uuid(),
    startedAt: time,
    endsAt: time,
    frames: z.int().describe('Number of frames, known when the capture has ended.'),
  })
  .meta({ title: 'CarrierCapture' })
const wholeAnswer = captureAnswer
  .extend({
    exchanged: z.array(
      z.object({
        at: time,
        bind: z.int().describe('Number of the connection; 0 for receipt callbacks and receipt polls.'),
        exchange: z.int().nullable().describe('Number of the HTTP call, counted by connection; null for SMPP.'),
        outgoing: z.boolean(),
        decoded: z
          .record(z.string(), z.unknown())
          .describe(
            'Fields by name; bytes in hex. `read` has the values that the description of an HTTP carrier reads, by position.',
          ),
      }),
    ),
  })
  .meta({ title: 'WholeCarrierCapture' })
const pcapAnswer = z.object({ pcap: z.string().describe('The file, in base64.') }).meta({ title: 'CarrierCaptureFile' })

const endpoint = endpointsOf('Carriers')
const calls = {
  capture: endpoint(OPERATORS, {
    operationId: 'captureCarrier',
    summary: 'Start a packet capture',
    description:
      'Captures PDUs without passwords and without the digits of texts, or HTTP calls in both directions: method, host, path as described, status, header names, the values that the description reads, and the shape of each body. One capture per carrier at a time; captures are kept for an hour.',
    params: byId,
    body: newCapture,
    response: { 201: captureAnswer },
    refusals: ['conflict'],
  }),
  list: endpoint(OPERATORS, {
    operationId: 'listCarrierCaptures',
    summary: 'List packet captures',
    params: byId,
    response: { 200: wholeListOf(captureAnswer) },
  }),
  read: endpoint(OPERATORS, {
    operationId: 'getCarrierCapture',
    summary: 'Get a decoded packet capture',
    params: byCapture,
    response: { 200: wholeAnswer },
  }),
  pcap: endpoint(OPERATORS, {
    operationId: 'getCarrierCaptureFile',
    summary: 'Get a packet capture for Wireshark',
    description: 'The file is in base64: decode it with `base64 -d > wire.pcap`.',
    params: byCapture,
    response: { 200: pcapAnswer },
  }),
}

export function mountCarrierCaptures(app: TypedServer, ports: Ports): void {
  app.post('/carriers/:id/captures', calls.capture, async (request, reply) => {
    const { seconds = 60 } = request.body ?? {}
    const result = await captureCarrier(ports, callerOf(request), { carrierId: request.params.id, seconds })
    return respond(reply, result, { status: 201, view: captureView })
  })

  app.get('/carriers/:id/captures', calls.list, async (request) => {
    const db = dbOf(ports, request)
    requireFound(await findCarrier(db, request.params.id))
    return { items: (await listCaptures(db, request.params.id)).map(captureView), next: null }
  })

  app.get('/carriers/:id/captures/:captureId', calls.read, async (request) => {
    const db = dbOf(ports, request)
    const { id: carrierId, captureId: id } = request.params
    const capture = requireFound(await findCapture(db, { id, carrierId }))
    const frames = await listFrames(db, id)
    const exchanged = frames.map(({ at, bind, exchange, outgoing, decoded }) => ({
      at,
      bind,
      exchange,
      outgoing,
      decoded,
    }))
    return { ...captureView(capture), exchanged }
  })

  app.get('/carriers/:id/captures/:captureId/pcap', calls.pcap, async (request) => {
    const db = dbOf(ports, request)
    const { id: carrierId, captureId: id } = request.params
    requireFound(await findCapture(db, { id, carrierId }))
    return { pcap: Buffer.from(pcapOf((await listFrames(db, id)).map(wireFrameOf))).toString('base64') }
  })
}

function captureView({ id, carrierId, startedAt, endsAt, frames }: CarrierCapture): z.input<typeof captureAnswer> {
  return { id, carrierId, startedAt, endsAt, frames }
}

function wireFrameOf({ processId, bind, exchange, called, at, outgoing, bytes }: StoredFrame): WireFrame {
  const protocol = exchange === null ? 'smpp' : 'http'
  return { at, stream: [processId, bind, exchange, called].join(' '), protocol, called, outgoing, bytes }
}
