// The providers that a carrier over HTTP can be made for without describing them (D63), for the operator.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { usualWay, WAY, waysOf } from '../../domain/carriers/http/expand-preset.ts'
import { type Preset, RECEIPT_WAYS } from '../../domain/carriers/http/preset.ts'
import { PRESETS } from '../../domain/carriers/http/presets.ts'
import type { ZodTypeProvider } from '../../http/validation.ts'
import { endpointsOf, OPERATORS } from '../endpoint.ts'
import { wholeListOf } from '../fields.ts'

const presetAnswer = z
  .object({
    name: z.string(),
    version: z.int(),
    title: z.string(),
    source: z.string().describe('What its answers were read from.'),
    receipts: z
      .array(z.enum(RECEIPT_WAYS))
      .describe(
        'How it may tell what became of a message, the usual way first: `callback` is by calling HULAKI_PUBLIC_URL, `poll` by being asked; with `none`, `sent` is the end. One of them is the value `receipts`.',
      ),
    isTried: z.boolean().describe('Whether it was ever tried against the real provider.'),
    values: z
      .array(
        z.object({
          name: z.string(),
          tells: z.string(),
          otherwise: z.string().nullable().describe('Where it is left out; null is that it is needed.'),
        }),
      )
      .describe('For `presetValues`.'),
    secrets: z
      .array(z.object({ name: z.string(), tells: z.string() }))
      .describe('Those that the values make use of are needed.'),
    notes: z.array(z.string()).describe('What it cannot do, and how silence of its documentation was read.'),
  })
  .meta({ title: 'CarrierPreset' })

const calls = {
  list: endpointsOf('Carriers')(OPERATORS, {
    operationId: 'listCarrierPresets',
    summary: 'List the providers that a carrier can be made for by name',
    response: { 200: wholeListOf(presetAnswer) },
  }),
}

export function mountCarrierPresets(server: FastifyInstance): void {
  const app = server.withTypeProvider<ZodTypeProvider>()
  app.get('/carrier-presets', calls.list, () => ({ items: PRESETS.map(presetView), next: null }))
}

function presetView(preset: Preset): z.input<typeof presetAnswer> {
  const { name, version, title, source, isTried, values, secrets, notes } = preset
  const way = { name: WAY, tells: `how receipts come: ${waysOf(preset).join(', ')}`, otherwise: usualWay(preset) }
  return {
    name,
    version,
    title,
    source,
    receipts: waysOf(preset),
    isTried,
    values: [...Object.entries(values).map(([name, { tells, otherwise }]) => ({ name, tells, otherwise })), way],
    secrets: Object.entries(secrets).map(([name, tells]) => ({ name, tells })),
    notes: [...notes],
  }
}
