// Formats numbers, money and times for the language of the page, and shortens IDs.

const language = () => document.documentElement.lang || 'en'
const formats = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat | Intl.RelativeTimeFormat>()

/** Creating a format costs more than using it. */
function cached<Format extends Intl.NumberFormat | Intl.DateTimeFormat | Intl.RelativeTimeFormat>(
  key: string,
  make: () => Format,
): Format {
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

const LAST_OF_ID = -12

/** The end of an ID: IDs of the same time start alike. */
export function shortId(id: string): string {
  return id.slice(LAST_OF_ID)
}

type Style = 'time' | 'second' | 'day' | 'shortDay' | 'month' | 'whole'

const STYLES: Record<Style, Intl.DateTimeFormatOptions> = {
  time: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  second: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
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
  return cached(`${style} ${timeZone}`, () => new Intl.DateTimeFormat(language(), options)).format(new Date(at))
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

/** Such as 'in 3 minutes', 'two days ago'. */
export function fromNow(at: Date | string, now: Date = new Date()): string {
  const seconds = (new Date(at).getTime() - now.getTime()) / 1000
  const [unit, length] = UNITS.find(([, it]) => Math.abs(seconds) >= it) ?? ['second', 1]
  const format = cached('relative', () => new Intl.RelativeTimeFormat(language(), { numeric: 'auto' }))
  return format.format(Math.round(seconds / length), unit)
}
