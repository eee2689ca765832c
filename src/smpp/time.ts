// Time formats of SMPP (SMPP 3.4 §7.1.1, appendix B).

/** A relative validity_period: five minutes are `000000000500000R`. */
export function formatRelativeTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const days = Math.floor(whole / 86_400)
  // Months and years have no fixed length, so long spans are in days, at most 99.
  if (days > 99) return '000099000000000R'
  const parts = [days, Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60, whole % 60]
  return `0000${parts.map(twoDigits).join('')}000R`
}

/** An absolute validity_period in UTC: `261117030405000+`. */
export function formatAbsoluteTime(at: Date): string {
  return `${formatReceiptTime(at)}${twoDigits(at.getUTCSeconds())}000+`
}

/** The end of an absolute or relative validity_period; undefined if it is invalid. */
export function parseValidityPeriod(text: string, now: Date): Date | undefined {
  const [, digits = '', tenth, quarterHours, sign] = /^(\d{12})(\d)(\d\d)([-+R])$/.exec(text) ?? []
  if (sign === undefined) return undefined
  if (sign === 'R') return addSpan(now, digits)
  const local = dateOf(`20${digits}`)
  const aheadOfUtcMs = Number(`${sign}${quarterHours}`) * 15 * 60_000
  return local && new Date(local.getTime() + Number(tenth) * 100 - aheadOfUtcMs)
}

/** YYMMDDhhmm, in UTC. */
export function formatReceiptTime(at: Date): string {
  const year = at.getUTCFullYear() % 100
  return [year, at.getUTCMonth() + 1, at.getUTCDate(), at.getUTCHours(), at.getUTCMinutes()].map(twoDigits).join('')
}

/**
 * Reads a receipt's date: YYMMDDhhmm, optionally with seconds or the century. It has no time zone; UTC is assumed. undefined if it is
 * invalid.
 */
export function parseReceiptTime(text: string): Date | undefined {
  if (!/^\d+$/.test(text)) return undefined
  if (text.length === 10) return dateOf(`20${text}00`)
  // Twelve digits include seconds or the century. Seconds first: a century would be read as month 19 to 99.
  if (text.length === 12) return dateOf(`20${text}`) ?? dateOf(`${text}00`)
  return text.length === 14 ? dateOf(text) : undefined
}

function dateOf(digits: string): Date | undefined {
  const [, year, month, day, hour, minute, second] = /^(....)(..)(..)(..)(..)(..)$/.exec(digits) ?? []
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  const date = new Date(iso)
  // Rejects dates that JavaScript shifts, for example 31 February.
  return Number.isNaN(date.getTime()) || date.toISOString() !== iso ? undefined : date
}

function addSpan(start: Date, digits: string): Date {
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = (digits.match(/../g) ?? []).map(Number)
  const end = new Date(start)
  end.setUTCFullYear(start.getUTCFullYear() + years, start.getUTCMonth() + months, start.getUTCDate() + days)
  return new Date(end.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000)
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
