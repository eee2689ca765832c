// Presets for the HTTP APIs of known providers (D63).
import { z } from 'zod'
import { PRESETS, usualWay, WAY, waysOf } from '../../domain/carriers/http/expand-preset.ts'
import { type Preset, RECEIPT_WAYS } from '../../domain/carriers/http/preset.ts'
import type { TypedServer } from '../../http/validation.ts'
import { endpointsOf, OPERATORS } from '../endpoint.ts'
import { wholeListOf } from '../fields.ts'

const presetAnswer = z
  .object({
    name: z.string(),
    version: z.int(),
    title: z.string(),
    source: z.string().describe('Documentation that the preset is based on.'),
    receipts: z
      .array(z.enum(RECEIPT_WAYS))
      .describe(
        'Choices for the value `receipts`, the default first: `callback` to HULAKI_PUBLIC_URL, `poll`, or `none`, with which `sent` is the final status.',
      ),
    isTried: z.boolean().describe('Whether the preset was verified with the provider.'),
    values: z
      .array(
        z.object({
          name: z.string(),
          tells: z.string(),
          otherwise: z.string().nullable().describe('Default; null if the value is required.'),
        }),
      )
      .describe('Values for `presetValues`.'),
    secrets: z
      .array(z.object({ name: z.string(), tells: z.string() }))
      .describe('Secrets. A secret that a value uses is required.'),
    notes: z.array(z.string()).describe('Limitations and assumptions.'),
  })
  .meta({ title: 'CarrierPreset' })

const calls = {
  list: endpointsOf('Carriers')(OPERATORS, {
    operationId: 'listCarrierPresets',
    summary: 'List carrier presets',
    description: 'Providers with an HTTP API that `preset` of a new carrier can name.',
    response: { 200: wholeListOf(presetAnswer) },
  }),
}

export function mountCarrierPresets(app: TypedServer): void {
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
