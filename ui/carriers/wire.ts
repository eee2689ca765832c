// One frame of a capture as text: what it is, then its fields. A call over HTTP has a line for what its description reads, and one each for
// its headers and the shape of its body.

const FIRST = ['command', 'method', 'host', 'path', 'status', 'failure']
const LAST = ['headers', 'query', 'body']
const MOST_CHARACTERS = 2_000

export interface WireLine {
  /** Such as submit_sm_resp. */
  what: string
  lines: string[]
}

export function lineOf({ read, ...decoded }: Record<string, unknown>): WireLine {
  const isFirst = (name: string) => FIRST.includes(name) && isPlain(decoded[name])
  const others = Object.entries(decoded).filter(([name, value]) => !isFirst(name) && !isEmpty(value))
  const own = others.filter(([name]) => !LAST.includes(name))
  const last = LAST.flatMap((name) => others.filter(([it]) => it === name).map((field) => [field]))
  const lines = [...readItems(read), own, ...last].map((fields) => cut(fields.map(writeField).join(' ')))
  const what = FIRST.filter(isFirst).map((name) => String(decoded[name]))
  return { what: what.join(' '), lines: lines.filter((line) => line !== '') }
}

/** The values that a description reads, by their places: of one report, or of each in a list. */
function readItems(read: unknown): [name: string, value: unknown][][] {
  const items = Array.isArray(read) ? read : [read]
  return items.map((item) => (typeof item === 'object' && item !== null ? Object.entries(item) : []))
}

function cut(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}

function isEmpty(value: unknown): boolean {
  return value === '' || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
}

function writeField([name, value]: [name: string, value: unknown]): string {
  return `${name}=${typeof value === 'string' && !/\s/.test(value) ? value : JSON.stringify(value)}`
}
