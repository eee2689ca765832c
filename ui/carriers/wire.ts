// What went over the wire, as a line to read: whatever was decoded, what it is first, then its fields.

const FIRST = ['command', 'method', 'path', 'status', 'failure']
const MOST_CHARACTERS = 2_000

export interface WireLine {
  /** Such as submit_sm_resp. */
  what: string
  fields: string
}

export function lineOf(decoded: Record<string, unknown>): WireLine {
  const what = FIRST.filter((name) => isPlain(decoded[name])).map((name) => String(decoded[name]))
  const fields = Object.entries(decoded)
    .filter(([name, value]) => !(FIRST.includes(name) && isPlain(value)) && !isEmpty(value))
    .map(([name, value]) => `${name}=${written(value)}`)
    .join(' ')
  const isLong = fields.length > MOST_CHARACTERS
  return { what: what.join(' '), fields: isLong ? `${fields.slice(0, MOST_CHARACTERS)}…` : fields }
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}

function isEmpty(value: unknown): boolean {
  return value === '' || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
}

function written(value: unknown): string {
  return typeof value === 'string' && !/\s/.test(value) ? value : JSON.stringify(value)
}
