// Expands a preset (D63) into an ordinary description, which only records the name and version of the preset.
import type { FieldError } from '../../refusals.ts'
import type { HttpSecrets } from '../secrets.ts'
import { hasCallback } from './callback.ts'
import type { HttpDescription } from './description.ts'
import type { Preset, PresetValue, ReceiptMode } from './preset.ts'
import { AAKASH } from './presets/aakash.ts'
import { INFOBIP } from './presets/infobip.ts'
import { SPARROW } from './presets/sparrow.ts'
import { TWILIO } from './presets/twilio.ts'
import { VONAGE } from './presets/vonage.ts'
import { fieldError } from './validation.ts'

/** In the order in which they are listed. */
export const PRESETS: readonly Preset[] = [SPARROW, AAKASH, TWILIO, VONAGE, INFOBIP]

/** The name of the value that selects how receipts arrive; every preset has it. */
export const RECEIPTS_VALUE = 'receipts'

interface PresetGiven {
  preset: string
  values: Readonly<Record<string, string>>
  secrets: HttpSecrets
  /** Whether HULAKI_PUBLIC_URL is set. */
  hasPublicUrl: boolean
}

/** The description, or all errors; paths are those of the request. */
export function expandPreset(given: PresetGiven): HttpDescription | FieldError[] {
  const preset = PRESETS.find(({ name }) => name === given.preset)
  if (!preset) return [fieldError(['preset'], `Must be one of ${PRESETS.map(({ name }) => name).join(', ')}`)]
  const { name, version, description, ways } = preset
  const wanted = given.values[RECEIPTS_VALUE] ?? defaultReceiptMode(preset)
  const way = ways[receiptModesOf(preset).find((it) => it === wanted) ?? 'none'] ?? { body: null, receipts: null }
  const filled = Object.fromEntries(
    Object.entries(preset.values).flatMap(([name, value]) => {
      const text = given.values[name] ?? value.default ?? ''
      return [[name, text] as const, [`${name}.choice`, choiceOf(value, text)] as const]
    }),
  )
  const whole = fillIn({ ...description, ...way }, fillIn(filled, filled))
  const errors = [...validateValues(preset, given.values), ...validateSecrets(preset, { given: given.secrets, whole })]
  if (hasCallback(way.receipts) && !given.hasPublicUrl)
    errors.push(fieldError(['presetValues', RECEIPTS_VALUE], unreachable(preset)))
  if (errors.length > 0) return errors
  return { ...whole, preset: { name, version } }
}

/** Receipts are not dropped silently: the operator chooses `none` explicitly. */
function unreachable(preset: Preset): string {
  const { title, ways } = preset
  const others = receiptModesOf(preset).filter((name) => !hasCallback(ways[name]?.receipts ?? null))
  return `callback needs HULAKI_PUBLIC_URL, so that ${title} can reach this service; without it use ${others.join(' or ')}`
}

export function receiptModesOf({ ways }: Preset): ReceiptMode[] {
  return Object.keys(ways) as ReceiptMode[]
}

export function defaultReceiptMode(preset: Preset): ReceiptMode {
  return receiptModesOf(preset)[0] ?? 'none'
}

function validateValues(preset: Preset, values: Readonly<Record<string, string>>): FieldError[] {
  const { name: of, ways } = preset
  const known = [...Object.keys(preset.values), RECEIPTS_VALUE]
  const strange = Object.keys(values).filter((name) => !known.includes(name))
  const wrong = Object.entries(preset.values).flatMap(([name, { description, form, default: usual }]) => {
    const value = values[name]
    const path = ['presetValues', name]
    if (value === undefined) return usual === null ? [fieldError(path, `Required: ${description}`)] : []
    return new RegExp(`^(?:${form})$`).test(value) ? [] : [fieldError(path, `Invalid format. Expected: ${description}`)]
  })
  const way = values[RECEIPTS_VALUE]
  if (way !== undefined && !Object.hasOwn(ways, way))
    wrong.push(fieldError(['presetValues', RECEIPTS_VALUE], `Must be one of ${Object.keys(ways).join(', ')}`))
  return [
    ...strange.map((name) =>
      fieldError(['presetValues', name], `Unknown value of preset ${of}; allowed: ${known.join(', ')}`),
    ),
    ...wrong,
  ]
}

function choiceOf({ choice }: PresetValue, text: string): string {
  const [, word] = Object.entries(choice?.byForm ?? {}).find(([form]) => new RegExp(`^(?:${form})$`).test(text)) ?? []
  return word ?? choice?.usual ?? ''
}

/** A secret is required if the expanded description uses it. */
function validateSecrets(
  { name: of, secrets }: Preset,
  { given, whole }: { given: HttpSecrets; whole: unknown },
): FieldError[] {
  const known = Object.keys(secrets)
  const described = JSON.stringify(whole)
  return [
    ...Object.entries(secrets)
      .filter(([name]) => described.includes(`{secret.${name}}`) && !Object.hasOwn(given, name))
      .map(([name, description]) => fieldError(['secrets', name], `Required: ${description}`)),
    ...Object.keys(given)
      .filter((name) => !known.includes(name))
      .map((name) => fieldError(['secrets', name], `Unknown secret of preset ${of}; allowed: ${known.join(', ')}`)),
  ]
}

/** Fills in every text, including field names. */
function fillIn<Whole>(whole: Whole, values: Readonly<Record<string, string>>): Whole {
  if (typeof whole === 'string')
    return whole.replaceAll(/\{set\.([\w.]+)\}/g, (_, name: string) => values[name] ?? '') as Whole
  if (Array.isArray(whole)) return whole.map((item) => fillIn(item, values)) as Whole
  if (typeof whole !== 'object' || whole === null) return whole
  return Object.fromEntries(
    Object.entries(whole).map(([name, field]) => [fillIn(name, values), fillIn(field, values)]),
  ) as Whole
}
