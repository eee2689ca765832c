// The printed statement of a month: one HTML page without script, font or image, so that a saved copy stays whole.
import { createHash } from 'node:crypto'
import type { Language } from '../../domain/language.ts'
import { writeE4 } from '../../domain/money.ts'
import { zonedTime } from '../../domain/workspaces/billing-period.ts'
import { linesOf, type Statement, type StatementUsage } from '../../domain/workspaces/statement.ts'
import { escapeHtml } from '../../http/escape.ts'
import type { Workspace } from '../../store/workspaces/workspaces.ts'
import { STATEMENT_WORDS } from './statement-words.ts'

const STYLE = `
:root { color-scheme: light dark; --line: #d5dae1; --quiet: #5a6472; }
body { margin: 0 auto; padding: 2rem 1rem; max-width: 48rem; background: #fff; color: #14181f;
  font: 0.9375rem/1.5 system-ui, 'Noto Sans', 'Noto Sans Devanagari', 'Lohit Devanagari', sans-serif; }
header { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.5rem 2rem; align-items: baseline; }
h1 { margin: 0; font-size: 1.625rem; }
h2 { margin: 2rem 0 0.5rem; font-size: 1.125rem; break-after: avoid; }
header p { margin: 0; font-size: 1.125rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.5rem; margin: 1.5rem 0; }
dt, .quiet { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.375rem 0.75rem 0.375rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { font-weight: 400; overflow-wrap: anywhere; }
thead th { color: var(--quiet); font-weight: 600; overflow-wrap: normal; }
td { overflow-wrap: break-word; }
tbody th { min-width: 7rem; }
tr { break-inside: avoid; }
.number { padding-right: 0; padding-left: 0.75rem; text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.total { break-before: avoid; }
.total > * { border-bottom-width: 2px; font-weight: 700; }
@media screen and (prefers-color-scheme: dark) {
  :root { --line: #343b46; --quiet: #a4afbd; }
  body { background: #11151b; color: #eceff3; }
}
@page { size: A4; margin: 18mm 16mm; @bottom-right { content: counter(page) ' / ' counter(pages); font: 8pt sans-serif; color: #5a6472; } }
@media print {
  :root { color-scheme: light; }
  body { padding: 0; max-width: none; font-size: 10pt; }
  .scroll { overflow: visible; }
  table { font-size: 8.5pt; }
  th, td { padding: 0.25rem 0.5rem 0.25rem 0; }
  .number { padding: 0.25rem 0 0.25rem 0.5rem; }
}
`

export const STATEMENT_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

interface StatementPage {
  statement: Statement
  workspace: Pick<Workspace, 'id' | 'name' | 'currency' | 'timeZone'>
  /** Last day of the month. */
  to: string
  language: Language
  now: Date
}

export function statementPage({ statement, workspace, to, language, now }: StatementPage): string {
  const words = STATEMENT_WORDS[language]
  const { period, isClosed } = statement
  const { id, name, currency, timeZone } = workspace
  const style = { words, currency, timeZone, money: amountWriter(statement) }
  const month = `${words.months[Number(period.slice(5, 7)) - 1]} ${period.slice(0, 4)}`
  const facts: [string, string][] = [
    [words.workspace, `${name} (${id})`],
    [words.period, `${period} – ${to}`],
    [words.timeZone, timeZone],
    [words.currency, currency],
    [words.created, zonedTime(now, timeZone).replace('T', ' ').replace(/\.\d+/, ' ')],
  ]
  const title = `${words.title}, ${month}`
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(`${title}: ${name}`)}</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${escapeHtml(title)}</h1><p><bdi>${escapeHtml(name)}</bdi></p></header>
<dl>${facts.map(([term, value]) => `<dt>${escapeHtml(term)}</dt><dd><bdi>${escapeHtml(value)}</bdi></dd>`).join('\n')}</dl>
<p class="quiet">${escapeHtml(isClosed ? words.closed : words.open)}</p>
${[summary(statement, style), topUps(statement, style), usage(statement, style)].join('\n')}
</body>
</html>
`
}

interface PageStyle extends Pick<Workspace, 'currency' | 'timeZone'> {
  words: (typeof STATEMENT_WORDS)[Language]
  money: (e4: number) => string
}

/** All amounts have the same number of decimals, so that columns align. */
function amountWriter(statement: Statement): PageStyle['money'] {
  const amounts = [
    ...linesOf(statement).map(({ amountE4 }) => amountE4),
    ...statement.listedTopUps.map(({ amountE4 }) => amountE4),
    ...statement.usage.flatMap(({ costE4, refundedE4 }) => [costE4, refundedE4]),
  ]
  const decimals = amounts.every((e4) => e4 % 100 === 0) ? 2 : 4
  return (e4) => writeE4(e4, decimals)
}

function summary(statement: Statement, { words, currency, money }: PageStyle): string {
  const { sumE4, closingE4 } = statement
  // Without late refunds, their line would only raise questions.
  const lines = linesOf(statement).filter(({ line, amountE4 }) => line !== 'lateExpiry' || amountE4 !== 0)
  const rows = lines.map(({ line, amountE4 }) => row([words.lines[line], money(amountE4)], NUMBER_LAST))
  const ends = [
    row([words.sum, money(sumE4)], NUMBER_LAST, 'total'),
    row([words.closing, money(closingE4)], NUMBER_LAST, 'total'),
  ]
  const head = [words.description, `${words.amount} (${currency})`]
  const note = sumE4 === closingE4 ? words.adds : words.differs
  return `${table(words.summary, head, NUMBER_LAST, [...rows, ...ends])}\n<p class="quiet">${escapeHtml(note)}</p>`
}

function topUps({ listedTopUps, topUps: count, topUpE4 }: Statement, { words, timeZone, money }: PageStyle): string {
  if (count === 0) return ''
  const rows = listedTopUps.map(({ at, note, amountE4 }) =>
    row([zonedTime(at, timeZone).slice(0, 16).replace('T', ' '), note ?? '', money(amountE4)], NUMBER_LAST),
  )
  const listedE4 = listedTopUps.reduce((sum, { amountE4 }) => sum + amountE4, 0)
  const more = count - listedTopUps.length
  const rest = more > 0 ? [row(['', words.moreTopUps(more), money(topUpE4 - listedE4)], NUMBER_LAST)] : []
  const total = row([words.total, '', money(topUpE4)], NUMBER_LAST, 'total')
  const listed = table(words.topUps, [words.date, words.note, words.amount], NUMBER_LAST, [...rows, ...rest, total])
  return `${listed}\n<p class="quiet">${escapeHtml(words.topUpsExpire)}</p>`
}

const FIRST_NUMBER_OF_USAGE = 2

function usage({ usage: lines, costE4, refundedE4 }: Statement, { words, money }: PageStyle): string {
  if (lines.length === 0) return `<h2>${escapeHtml(words.usage)}</h2>\n<p>${escapeHtml(words.none)}</p>`
  const spent = (it: Pick<StatementUsage, 'costE4' | 'refundedE4'>) =>
    [it.costE4, it.refundedE4, it.costE4 - it.refundedE4].map(money)
  const count = (value: number) => value.toLocaleString('en-US')
  const sum = (of: (it: StatementUsage) => number) => count(lines.reduce((all, it) => all + of(it), 0))
  const rows = lines.map((it) =>
    row([it.name, words.types[it.type], count(it.messages), count(it.segments), ...spent(it)], FIRST_NUMBER_OF_USAGE),
  )
  const counts = [sum(({ messages }) => messages), sum(({ segments }) => segments)]
  const total = row([words.total, '', ...counts, ...spent({ costE4, refundedE4 })], FIRST_NUMBER_OF_USAGE, 'total')
  const head = [words.client, words.type, words.messages, words.segments, words.charged, words.refunded, words.net]
  return table(words.usage, head, FIRST_NUMBER_OF_USAGE, [...rows, total])
}

/** Only the last cell is a number. */
const NUMBER_LAST = -1

function table(title: string, head: readonly string[], firstNumber: number, rows: readonly string[]): string {
  const cells = head.map((text, at) => `<th scope="col"${numberClass(at, head, firstNumber)}>${escapeHtml(text)}</th>`)
  return `<h2>${escapeHtml(title)}</h2>
<div class="scroll"><table>
<thead><tr>${cells.join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>`
}

/** The cells from `firstNumber` on are numbers. */
function row(cells: readonly string[], firstNumber: number, kind: 'total' | null = null): string {
  const tags = cells.map((text, at) => {
    const content = `<bdi>${escapeHtml(text)}</bdi>`
    return at === 0 ? `<th scope="row">${content}</th>` : `<td${numberClass(at, cells, firstNumber)}>${content}</td>`
  })
  return `<tr${kind ? ` class="${kind}"` : ''}>${tags.join('')}</tr>`
}

function numberClass(at: number, cells: readonly string[], firstNumber: number): string {
  return at >= (firstNumber < 0 ? cells.length + firstNumber : firstNumber) ? ' class="number"' : ''
}
