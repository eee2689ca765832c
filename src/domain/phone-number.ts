// Reads a recipient's number into E.164 and its country, and refuses what cannot receive SMS (§4.1, §2.4, D1, D2).
import {
  getCountryCallingCode,
  isSupportedCountry,
  Metadata,
  type NumberingPlan,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max'
import { beginningsOf } from './beginnings.ts'

export type ReadPhoneNumber =
  | { ok: true; e164: string; country: string }
  | { ok: false; why: 'not_a_number' | 'not_a_mobile' }

export const PHONE_NUMBER_PATTERN = /^\+?\d{7,15}$/

// Without a plus, digits are the home country's: its national format, or its calling code and the rest (§2.4).
export function readPhoneNumber(input: string, homeCountry: string): ReadPhoneNumber {
  if (!PHONE_NUMBER_PATTERN.test(input)) return { ok: false, why: 'not_a_number' }
  const international = input.startsWith('+')
  if (input.startsWith('+977') || (!international && homeCountry === 'NP')) return readNepal(input)
  return international ? judge(parsePhoneNumberFromString(input)) : readAtHome(input, homeCountry)
}

// D1, D42: our own rule, as the spec words it: 98…, 97… or 96…, with or without 977, and as people dial it: 0 or 00977 in front.
// Each form has a length of its own, so one number has one reading, and the hot path needs no metadata.
const NEPAL_MOBILE = '9[678]\\d{8}'
const NEPAL_FORMS = new RegExp(`^(?:0|(?:\\+|00)?977)?(${NEPAL_MOBILE})$`)

function readNepal(input: string): ReadPhoneNumber {
  const national = NEPAL_FORMS.exec(input)?.[1]
  return national ? { ok: true, e164: `+977${national}`, country: 'NP' } : { ok: false, why: 'not_a_mobile' }
}

// Some digits read both ways (4915123456789 in Germany): the first reading that can receive SMS is meant. Neither leads out of the
// home's calling code: the number of another country needs its plus (D42).
function readAtHome(digits: string, homeCountry: string): ReadPhoneNumber {
  if (!isSupportedCountry(homeCountry)) return { ok: false, why: 'not_a_number' }
  const callingCode = getCountryCallingCode(homeCountry)
  const number = parsePhoneNumberFromString(digits, homeCountry)
  // The library also follows the home country's international prefix (00…, 011…) abroad; §4.1 wants a plus for that.
  const national = judge(number?.countryCallingCode === callingCode ? number : undefined)
  return national.ok || !digits.startsWith(callingCode) ? national : judge(parsePhoneNumberFromString(`+${digits}`))
}

// D1: where the numbering plan cannot tell a mobile from a landline (North America), the number gets the benefit of the doubt.
// Everything else has no handset to read an SMS: VoIP, pagers, personal, toll-free and premium numbers.
const RECEIVES_SMS = new Set(['MOBILE', 'FIXED_LINE_OR_MOBILE'])

function judge(number: PhoneNumber | undefined): ReadPhoneNumber {
  const type = number?.getType()
  if (number === undefined || type === undefined) return { ok: false, why: 'not_a_number' }
  // Satellite and other networks beyond any country (+870, +882) have none that a workspace could be allowed to send to.
  if (!RECEIVES_SMS.has(type) || number.country === undefined) return { ok: false, why: 'not_a_mobile' }
  return { ok: true, e164: number.number, country: number.country }
}

/** Of a number in E.164, without its country: as its own country writes it, without a trunk prefix. Nepal's needs no metadata. */
export function nationalNumber(e164: string): string {
  if (e164.startsWith('+977')) return e164.slice(4)
  return parsePhoneNumberFromString(e164)?.nationalNumber ?? e164.slice(1)
}

/** Whether it is a country's ISO 3166-1 alpha-2 code, of one that has numbers to send to. */
export function isCountry(code: string): boolean {
  return isSupportedCountry(code)
}

/** `+977` for Nepal, or just the plus of a country nobody knows. */
export function callingPrefix(country: string): string {
  return isSupportedCountry(country) ? `+${getCountryCallingCode(country)}` : '+'
}

/** D41: whether a mobile number of the country can begin with one of the prefixes. */
export function mayReach(country: string, prefixes: readonly string[]): boolean {
  const beginnings = mobileBeginnings.getOrInsertComputed(country, () => beginningsOf(mobilePattern(country)))
  return prefixes.some((prefix) => beginnings.test(prefix))
}

// Kept once they were asked for: they follow from the country alone, and there are no more of them than countries.
const mobileBeginnings = new Map<string, RegExp>()

/** Of its mobile numbers in E.164. Nothing matches where the country is not known. */
function mobilePattern(country: string): string {
  if (!isSupportedCountry(country)) return '[]'
  const metadata = new Metadata()
  metadata.selectNumberingPlan(country)
  const plan: (NumberingPlan & TypedPlan) | undefined = metadata.numberingPlan
  if (!plan?.type) throw new Error('the numbering plans of the library have no types of numbers any more')
  // Where the plan cannot tell a mobile from a landline (D1), the library has one pattern for both.
  const ofPlan = plan.type('MOBILE')?.pattern() || plan.type('FIXED_LINE')?.pattern() || '[]'
  return `[+]${getCountryCallingCode(country)}(?:${country === 'NP' ? NEPAL_MOBILE : ofPlan})`
}

/** What the library has, and its types leave out. */
interface TypedPlan {
  type?(name: 'MOBILE' | 'FIXED_LINE'): { pattern(): string | undefined } | undefined
}
