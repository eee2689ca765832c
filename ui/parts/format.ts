// Formats numbers, money and times for the language of the page, and shortens IDs. Digits are Latin in both languages, as in numbers and IDs;
// browsers do not have all texts of Nepali, so its month names and relative times are our own.
import { words } from '../words/index.ts'

const isNepali = () => document.documentElement.lang === 'ne'
/** Nepali groups digits as India does: 12,34,567. */
const language = () => (isNepali() ? 'en-IN' : 'en-GB')
const formats = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>()

/** Creating a format costs more than using it. */
function cached<Format extends Intl.NumberFormat | Intl.DateTimeFormat>(key: string, make: () => Format): Format {
  const known = formats.get(key)
  if (known) return known as Format
  const format = make()
  formats.set(key, format)
  return format
}

export function count(value: number): string {
  return cached('count', () => new Intl.NumberFormat(language())).format(value)
}

/** A fraction of one: 0.254 is 25.4 %. */
export function share(value: number): string {
  return cached(
    'share',
    () => new Intl.NumberFormat(language(), { style: 'percent', maximumFractionDigits: 1 }),
  ).format(value)
}

/** A dash where there is no whole. */
export function shareOf(part: number, whole: number): string {
  return whole === 0 ? '–' : share(part / whole)
}

export function money(value: number, currency?: string): string {
  const options: Intl.NumberFormatOptions = { minimumFractionDigits: 2, maximumFractionDigits: 4 }
  const amount = cached('money', () => new Intl.NumberFormat(language(), options)).format(value)
  return currency ? `${currency} ${amount}` : amount
}

/** Errors are written in lower case; at the start of a sentence they need a capital. */
export function capitalize(text: string): string {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1)
}

export function encodingName(encoding: 'GSM7' | 'UCS2'): string {
  return encoding === 'GSM7' ? 'GSM-7' : 'UCS-2'
}

export function countryName(code: string): string {
  return new Intl.DisplayNames([document.documentElement.lang, 'en'], { type: 'region' }).of(code) ?? code
}

const LAST_OF_ID = -12

/** The end of an ID: IDs of the same time start alike. */
export function shortId(id: string): string {
  return id.slice(LAST_OF_ID)
}

type Style = 'row' | 'time' | 'second' | 'millisecond' | 'day' | 'shortDay' | 'month' | 'whole'

const STYLES: Record<Style, Intl.DateTimeFormatOptions> = {
  row: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  time: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  second: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  millisecond: {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hourCycle: 'h23',
  },
  day: { day: 'numeric', month: 'short', year: 'numeric' },
  shortDay: { day: 'numeric', month: 'short' },
  month: { month: 'long', year: 'numeric' },
  whole: {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  },
}

/** In the time zone of the browser, unless another is named. */
export function moment(at: Date | string, style: Style, timeZone?: string): string {
  const options = { ...STYLES[style], ...(timeZone ? { timeZone } : {}) }
  const format = cached(`${style} ${timeZone}`, () => new Intl.DateTimeFormat('en-GB', options))
  if (!isNepali()) return format.format(new Date(at)).replace(',', '')
  const months: Record<string, string> = words.months
  return format
    .formatToParts(new Date(at))
    .map(({ type, value }) => (type === 'month' ? (months[value.slice(0, 3)] ?? value) : value.replace(',', '')))
    .join('')
}

/** Such as '17 ms', '5.0 s', '4 min 8 s'. */
export function duration(milliseconds: number): string {
  const { ms, s, min, h, d } = words.units
  const seconds = Math.round(milliseconds / 1_000)
  const pair = (whole: number, unit: string, rest: number, restUnit: string) =>
    `${count(whole)} ${unit}${rest > 0 ? ` ${count(rest)} ${restUnit}` : ''}`
  if (milliseconds < 1_000) return `${count(Math.round(milliseconds))} ${ms}`
  if (milliseconds < 59_950) return `${oneDigit(milliseconds / 1_000)} ${s}`
  if (seconds < 3_600) return pair(Math.floor(seconds / 60), min, seconds % 60, s)
  if (seconds < 86_400) return pair(Math.floor(seconds / 3_600), h, Math.floor((seconds % 3_600) / 60), min)
  return pair(Math.floor(seconds / 86_400), d, Math.floor((seconds % 86_400) / 3_600), h)
}

function oneDigit(value: number): string {
  const options = { minimumFractionDigits: 1, maximumFractionDigits: 1 }
  return cached('one digit', () => new Intl.NumberFormat(language(), options)).format(value)
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** Such as 'in 3 minutes', '2 days ago'. */
export function fromNow(at: Date | string, now: Date = new Date()): string {
  const seconds = (new Date(at).getTime() - now.getTime()) / 1000
  const [unit, length] = UNITS.find(([, it]) => Math.abs(seconds) >= it) ?? (['second', 1] as const)
  return words.relative(Math.round(seconds / length), unit)
}
