// Presets for the HTTP APIs of known providers (D63).
import { z } from 'zod'
import {
  defaultReceiptMode,
  PRESETS,
  RECEIPTS_VALUE,
  receiptModesOf,
} from '../../domain/carriers/http/expand-preset.ts'
import { type Preset, RECEIPT_MODES } from '../../domain/carriers/http/preset.ts'
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
      .array(z.enum(RECEIPT_MODES))
      .describe(
        'Choices for the value `receipts`, the default first: `callback` to HULAKI_PUBLIC_URL, `poll`, or `none`, with which `sent` is the final status.',
      ),
    isVerified: z.boolean().describe('Whether the preset was verified with the provider.'),
    values: z
      .array(
        z.object({
          name: z.string(),
          description: z.string(),
          default: z.string().nullable().describe('Default; null if the value is required.'),
        }),
      )
      .describe('Values for `presetValues`.'),
    secrets: z
      .array(z.object({ name: z.string(), description: z.string() }))
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
  const { name, version, title, source, isVerified, values, secrets, notes } = preset
  const description = `How receipts arrive: ${receiptModesOf(preset).join(', ')}`
  const way = { name: RECEIPTS_VALUE, description, default: defaultReceiptMode(preset) }
  return {
    name,
    version,
    title,
    source,
    receipts: receiptModesOf(preset),
    isVerified,
    values: [
      ...Object.entries(values).map(([name, { description, default: usual }]) => ({
        name,
        description,
        default: usual,
      })),
      way,
    ],
    secrets: Object.entries(secrets).map(([name, description]) => ({ name, description })),
    notes: [...notes],
  }
}
