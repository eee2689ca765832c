// One packet of a capture as text: a title, then lines with its fields.

const FIRST = ['command', 'method', 'host', 'path', 'status', 'failure']
const LAST = ['headers', 'query', 'body']
const MAX_CHARACTERS = 2_000

interface PacketText {
  /** Such as submit_sm_resp. */
  title: string
  lines: string[]
}

export function describePacket({ read, ...decoded }: Record<string, unknown>): PacketText {
  const isFirst = (name: string) => FIRST.includes(name) && isPlain(decoded[name])
  const others = Object.entries(decoded).filter(([name, value]) => !isFirst(name) && !isEmpty(value))
  const own = others.filter(([name]) => !LAST.includes(name))
  const last = LAST.flatMap((name) => others.filter(([it]) => it === name).map((field) => [field]))
  const lines = [...readItems(read), own, ...last].map((fields) => cut(fields.map(writeField).join(' ')))
  const title = FIRST.filter(isFirst).map((name) => String(decoded[name]))
  return { title: title.join(' '), lines: lines.filter((line) => line !== '') }
}

/** The values that the description reads, of one report or of each report in a list. */
function readItems(read: unknown): [name: string, value: unknown][][] {
  const items = Array.isArray(read) ? read : [read]
  return items.map((item) => (typeof item === 'object' && item !== null ? Object.entries(item) : []))
}

function cut(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text
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
