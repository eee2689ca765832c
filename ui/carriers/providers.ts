// The providers of a new carrier: SMPP, the presets (D63), and a custom HTTP description (D48).
import type { CarrierPreset } from '../api/calls.ts'
import { words } from '../words/index.ts'
import { ONLY_COUNTRY } from './preset-countries.ts'

export const SMPP = 'smpp'
export const CUSTOM = 'http'

export interface Provider {
  /** The name in the address. */
  id: string
  title: string
  about: string
  tags: string[]
  isBeta: boolean
  preset: CarrierPreset | null
}

export function listProviders(presets: readonly CarrierPreset[]): Provider[] {
  const { smppMeans, described, describedMeans, advanced } = words.newCarrier
  return [
    { id: SMPP, title: 'SMPP', about: smppMeans, tags: ['SMPP', 'TLS'], isBeta: false, preset: null },
    ...presets.map(providerOf),
    { id: CUSTOM, title: described, about: describedMeans, tags: ['HTTP', advanced], isBeta: false, preset: null },
  ]
}

function providerOf(preset: CarrierPreset): Provider {
  const { name, title, receipts, isVerified } = preset
  const mode = receipts[0] ?? 'none'
  const tags = ['HTTP', words.newCarrier.receiptTags[mode]]
  return { id: name, title, about: coverageOf(preset), tags, isBeta: !isVerified, preset }
}

export function coverageOf({ name }: CarrierPreset): string {
  const country = ONLY_COUNTRY[name]
  const names: Record<string, string | undefined> = words.newCarrier.countryNames
  return country === undefined ? words.newCarrier.worldwide : (names[country] ?? country)
}

/** The providers whose title, coverage or tags contain the text. */
export function findProviders(providers: readonly Provider[], text: string): Provider[] {
  const sought = text.trim().toLocaleLowerCase()
  return providers.filter(({ title, about, tags }) =>
    [title, about, ...tags].some((it) => it.toLocaleLowerCase().includes(sought)),
  )
}
