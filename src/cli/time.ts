// Times on a terminal: local and short.
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

export function isTime(value: unknown): value is string {
  return typeof value === 'string' && ISO.test(value)
}

/** For example `18 Nov 15:04`, and `18 Nov 2025` for another year. */
export function shortTime(iso: string, now: Date): string {
  const at = new Date(iso)
  const day = `${String(at.getDate()).padStart(2)} ${MONTHS[at.getMonth()]}`
  return at.getFullYear() === now.getFullYear() ? `${day} ${clockOf(at)}` : `${day} ${at.getFullYear()}`
}

/** For example `18 Nov 2026 15:04:05.678`, where the order of events matters. */
export function exactTime(iso: string): string {
  const at = new Date(iso)
  const two = (value: number, digits = 2) => String(value).padStart(digits, '0')
  const seconds = `${two(at.getSeconds())}.${two(at.getMilliseconds(), 3)}`
  return `${at.getDate()} ${MONTHS[at.getMonth()]} ${at.getFullYear()} ${clockOf(at)}:${seconds}`
}

function clockOf(at: Date): string {
  return `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`
}
