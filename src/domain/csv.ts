// CSV for spreadsheets (RFC 4180).

type Cell = string | number | Date | null

/** Spreadsheets read these as the beginning of a formula, some also in full width. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
/** A plus and digits, also masked: harmless as a formula. */
const NUMBER = /^\+[\d•]+$/

/** Without it, spreadsheets misread Devanagari. */
const BYTE_ORDER_MARK = '\ufeff'

/** The line of column names. */
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
