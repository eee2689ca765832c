// Tables that people open in a spreadsheet (RFC 4180).

type Cell = string | number | Date | null

/** A spreadsheet takes these for the beginning of a formula, some also as wide letters, and reckons with whatever follows. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
/** A plus and digits, also masked ones: nothing that could be reckoned with. */
const NUMBER = /^\+[\d•]+$/

/** Without it a spreadsheet reads Devanagari as something else. */
const BYTE_ORDER_MARK = '\ufeff'

/** The first line of a table: the names of its columns. */
export function csvHead(names: readonly string[]): string {
  return BYTE_ORDER_MARK + csvLine(names)
}

export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(written).join(',')}\r\n`
}

function written(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = cell instanceof Date ? cell.toISOString() : cell
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  // Some spreadsheets also split at semicolons and tabs.
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
