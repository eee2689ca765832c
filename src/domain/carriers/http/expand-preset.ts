// Fills in a preset (D63). What is saved is an ordinary description; that it came from a preset is remembered for people to see, and
// nothing else.
import type { Fault } from '../../refusals.ts'
import type { HttpSecrets } from '../secrets.ts'
import { callsBack } from './callback.ts'
import type { HttpDescription } from './description.ts'
import { fault } from './judge-parts.ts'
import type { Preset, PresetValue, ReceiptWay } from './preset.ts'
import { AAKASH } from './presets/aakash.ts'
import { INFOBIP } from './presets/infobip.ts'
import { SPARROW } from './presets/sparrow.ts'
import { TWILIO } from './presets/twilio.ts'
import { VONAGE } from './presets/vonage.ts'

/** In the order in which they are listed. */
export const PRESETS: readonly Preset[] = [SPARROW, AAKASH, TWILIO, VONAGE, INFOBIP]

/** Which way receipts come is a value of every preset. */
export const WAY = 'receipts'

export interface PresetGiven {
  preset: string
  values: Readonly<Record<string, string>>
  secrets: HttpSecrets
  /** Whether it is known where we are reached from outside. */
  hasPublicUrl: boolean
}

/** The description, or all that is wrong with what was given; paths are those of the request. */
export function expandPreset(given: PresetGiven): HttpDescription | Fault[] {
  const preset = PRESETS.find(({ name }) => name === given.preset)
  if (!preset) return [fault(['preset'], `Must be one of ${PRESETS.map(({ name }) => name).join(', ')}`)]
  const { name, version, description, ways } = preset
  const wanted = given.values[WAY] ?? usualWay(preset)
  const way = ways[waysOf(preset).find((it) => it === wanted) ?? 'none'] ?? { body: null, receipts: null }
  const filled = Object.fromEntries(
    Object.entries(preset.values).flatMap(([name, value]) => {
      const text = given.values[name] ?? value.otherwise ?? ''
      return [[name, text] as const, [`${name}.choice`, choiceOf(value, text)] as const]
    }),
  )
  const whole = fillIn({ ...description, ...way }, fillIn(filled, filled))
  const faults = [...judgeValues(preset, given.values), ...judgeSecrets(preset, { given: given.secrets, whole })]
  if (callsBack(way.receipts) && !given.hasPublicUrl) faults.push(fault(['presetValues', WAY], unreachable(preset)))
  if (faults.length > 0) return faults
  return { ...whole, preset: { name, version } }
}

/** Receipts are what most people pay for, so that to do without them is a word of one's own. */
function unreachable(preset: Preset): string {
  const { title, ways } = preset
  const others = waysOf(preset).filter((name) => !callsBack(ways[name]?.receipts ?? null))
  return `callback needs HULAKI_PUBLIC_URL, where ${title} reaches this service with its receipts; without it: ${others.join(', ')}`
}

export function waysOf({ ways }: Preset): ReceiptWay[] {
  return Object.keys(ways) as ReceiptWay[]
}

export function usualWay(preset: Preset): ReceiptWay {
  return waysOf(preset)[0] ?? 'none'
}

function judgeValues(preset: Preset, values: Readonly<Record<string, string>>): Fault[] {
  const { name: of, ways } = preset
  const known = [...Object.keys(preset.values), WAY]
  const strange = Object.keys(values).filter((name) => !known.includes(name))
  const wrong = Object.entries(preset.values).flatMap(([name, { tells, form, otherwise }]) => {
    const value = values[name]
    const path = ['presetValues', name]
    if (value === undefined) return otherwise === null ? [fault(path, `Is needed: ${tells}`)] : []
    return new RegExp(`^(?:${form})$`).test(value) ? [] : [fault(path, `Must be ${tells}`)]
  })
  const way = values[WAY]
  if (way !== undefined && !Object.hasOwn(ways, way))
    wrong.push(fault(['presetValues', WAY], `Must be one of ${Object.keys(ways).join(', ')}`))
  return [
    ...strange.map((name) => fault(['presetValues', name], `Is no value of ${of}, which has ${known.join(', ')}`)),
    ...wrong,
  ]
}

function choiceOf({ choice }: PresetValue, text: string): string {
  const [, word] = Object.entries(choice?.byForm ?? {}).find(([form]) => new RegExp(`^(?:${form})$`).test(text)) ?? []
  return word ?? choice?.usual ?? ''
}

/** Needed are those that the whole description has. */
function judgeSecrets(
  { name: of, secrets }: Preset,
  { given, whole }: { given: HttpSecrets; whole: unknown },
): Fault[] {
  const known = Object.keys(secrets)
  const described = JSON.stringify(whole)
  return [
    ...Object.entries(secrets)
      .filter(([name]) => described.includes(`{secret.${name}}`) && !Object.hasOwn(given, name))
      .map(([name, tells]) => fault(['secrets', name], `Is needed: ${tells}`)),
    ...Object.keys(given)
      .filter((name) => !known.includes(name))
      .map((name) => fault(['secrets', name], `Is no secret of ${of}, which has ${known.join(', ')}`)),
  ]
}

/** In every text of it, names of fields included. */
function fillIn<Whole>(whole: Whole, values: Readonly<Record<string, string>>): Whole {
  if (typeof whole === 'string')
    return whole.replaceAll(/\{set\.([\w.]+)\}/g, (_, name: string) => values[name] ?? '') as Whole
  if (Array.isArray(whole)) return whole.map((item) => fillIn(item, values)) as Whole
  if (typeof whole !== 'object' || whole === null) return whole
  return Object.fromEntries(
    Object.entries(whole).map(([name, field]) => [fillIn(name, values), fillIn(field, values)]),
  ) as Whole
}
