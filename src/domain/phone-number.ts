// Parses a recipient's number into E.164 and country, and rejects numbers that cannot receive SMS (§4.1, §2.4, D1, D2).
import {
  getCountryCallingCode,
  isSupportedCountry,
  Metadata,
  type NumberingPlan,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max'
import { prefixMatcher } from './prefix-matcher.ts'

export type ReadPhoneNumber =
  | { ok: true; e164: string; country: string }
  | { ok: false; why: 'not_a_number' | 'not_a_mobile' }

export const PHONE_NUMBER_PATTERN = /^\+?\d{7,15}$/

// Without a plus, digits belong to the home country: in national format, or with its calling code (§2.4).
export function readPhoneNumber(input: string, homeCountry: string): ReadPhoneNumber {
  if (!PHONE_NUMBER_PATTERN.test(input)) return { ok: false, why: 'not_a_number' }
  const international = input.startsWith('+')
  if (input.startsWith('+977') || (!international && homeCountry === 'NP')) return readNepal(input)
  return international ? classify(parsePhoneNumberFromString(input)) : readAtHome(input, homeCountry)
}

// D1, D42: Nepal's own rule: 98…, 97… or 96…, with or without 977, and as dialled, with 0 or 00977 in front. Each form has its own length, so a
// number is unambiguous, and the hot path needs no metadata.
const NEPAL_MOBILE = '9[678]\\d{8}'
const NEPAL_FORMS = new RegExp(`^(?:0|(?:\\+|00)?977)?(${NEPAL_MOBILE})$`)

function readNepal(input: string): ReadPhoneNumber {
  const national = NEPAL_FORMS.exec(input)?.[1]
  return national ? { ok: true, e164: `+977${national}`, country: 'NP' } : { ok: false, why: 'not_a_mobile' }
}

// Some digits can be read both ways (4915123456789 in Germany): the first reading that can receive SMS counts. Neither leaves the home country's
// calling code: a number of another country needs its plus (D42).
function readAtHome(digits: string, homeCountry: string): ReadPhoneNumber {
  if (!isSupportedCountry(homeCountry)) return { ok: false, why: 'not_a_number' }
  const callingCode = getCountryCallingCode(homeCountry)
  const number = parsePhoneNumberFromString(digits, homeCountry)
  // The library also accepts the home country's international prefix (00…, 011…); §4.1 requires a plus instead.
  const national = classify(number?.countryCallingCode === callingCode ? number : undefined)
  return national.ok || !digits.startsWith(callingCode) ? national : classify(parsePhoneNumberFromString(`+${digits}`))
}

// D1: if the numbering plan does not separate mobile from landline numbers (North America), the number is accepted. All other types have no handset:
// VoIP, pagers, personal, toll-free and premium numbers.
const RECEIVES_SMS = new Set(['MOBILE', 'FIXED_LINE_OR_MOBILE'])

function classify(number: PhoneNumber | undefined): ReadPhoneNumber {
  const type = number?.getType()
  if (number === undefined || type === undefined) return { ok: false, why: 'not_a_number' }
  // Satellite and other global networks (+870, +882) have no country that a workspace could be allowed to send to.
  if (!RECEIVES_SMS.has(type) || number.country === undefined) return { ok: false, why: 'not_a_mobile' }
  return { ok: true, e164: number.number, country: number.country }
}

/** The national number of an E.164 number, without a trunk prefix. Nepal needs no metadata. */
export function nationalNumber(e164: string): string {
  if (e164.startsWith('+977')) return e164.slice(4)
  return parsePhoneNumberFromString(e164)?.nationalNumber ?? e164.slice(1)
}

/** Whether the text is the ISO 3166-1 alpha-2 code of a country with phone numbers. */
export function isCountry(code: string): boolean {
  return isSupportedCountry(code)
}

/** `+977` for Nepal; only a plus for an unknown country. */
export function callingPrefix(country: string): string {
  return isSupportedCountry(country) ? `+${getCountryCallingCode(country)}` : '+'
}

/** D41: whether a mobile number of the country can begin with one of the prefixes. */
export function canReach(country: string, prefixes: readonly string[]): boolean {
  const isPrefix = mobilePrefixMatchers.getOrInsertComputed(country, () => prefixMatcher(mobilePattern(country)))
  return prefixes.some((prefix) => isPrefix(prefix))
}

// Cached, because they depend on the country alone and are few.
const mobilePrefixMatchers = new Map<string, (text: string) => boolean>()

/** The pattern of a country's mobile numbers in E.164; matches nothing for an unknown country. */
function mobilePattern(country: string): string {
  if (!isSupportedCountry(country)) return '[]'
  const metadata = new Metadata()
  metadata.selectNumberingPlan(country)
  const plan: (NumberingPlan & TypedPlan) | undefined = metadata.numberingPlan
  if (!plan?.type) throw new Error('libphonenumber-js no longer provides number types')
  // If the plan does not separate mobile from landline numbers (D1), the library has one pattern for both.
  const ofPlan = plan.type('MOBILE')?.pattern() || plan.type('FIXED_LINE')?.pattern() || '[]'
  return `[+]${getCountryCallingCode(country)}(?:${country === 'NP' ? NEPAL_MOBILE : ofPlan})`
}

/** Missing in the library's own types. */
interface TypedPlan {
  type?(name: 'MOBILE' | 'FIXED_LINE'): { pattern(): string | undefined } | undefined
}
