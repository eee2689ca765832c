// Markdown to HTML: just what our pages are written in. Headings, paragraphs, lists, tables, code; whatever else is text, escaped.
import { escapeHtml, type Lead, plainText, renderInline } from './inline.ts'

export interface Heading {
  level: number
  id: string
  text: string
}

/** What stands between a heading and the next, for the search. */
export interface Section extends Heading {
  words: string
}

export interface Rendered {
  html: string
  title: string
  /** Its first paragraph, in words. */
  summary: string
  sections: Section[]
}

export function renderMarkdown(source: string, lead: Lead): Rendered {
  const page = new Page(lead)
  const lines = source.replaceAll(/<!--.*?-->\n?/gs, '').split('\n')
  const html = page.blocks(lines)
  const sections = page.headings.map(({ at, ...heading }, index) => ({
    ...heading,
    words: wordsOf(lines.slice(at + 1, page.headings[index + 1]?.at)),
  }))
  return { html, title: sections[0]?.text ?? '', summary: page.summary, sections }
}

/** As GitHub makes anchors, so that links work there and here. */
function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

function wordsOf(lines: readonly string[]): string {
  return plainText(lines.filter((line) => !/^\s*(```|\|[-| :]+\|$)/.test(line)).join('\n'))
    .replaceAll(/[|\s]+/g, ' ')
    .trim()
}

const FENCE = /^(\s*)```(\w*)\s*$/
const HEADING = /^(#{1,4}) (.+)$/
const ITEM = /^( *)([-*]|\d+\.) +/
const RULE_OF_TABLE = /^\|[-| :]+\|\s*$/

interface Taken {
  html: string
  next: number
}

class Page {
  readonly headings: (Heading & { at: number })[] = []
  summary = ''
  readonly #lead: Lead
  readonly #anchors = new Map<string, number>()

  constructor(lead: Lead) {
    this.#lead = lead
  }

  /** Deep is what stands in a list: it has no headings, and a lone paragraph there needs no box. */
  blocks(lines: readonly string[], isDeep = false): string {
    const made: string[] = []
    for (let at = 0; at < lines.length; ) {
      const taken = this.#block(lines, at, isDeep)
      if (taken.html !== '') made.push(taken.html)
      at = taken.next
    }
    return made.join('\n')
  }

  #block(lines: readonly string[], at: number, isDeep: boolean): Taken {
    const line = lines[at] ?? ''
    if (line.trim() === '') return { html: '', next: at + 1 }
    if (FENCE.test(line)) return code(lines, at)
    const [, hashes, text] = HEADING.exec(line) ?? []
    if (hashes && text && !isDeep) return { html: this.#heading(hashes.length, text, at), next: at + 1 }
    if (line.startsWith('|') && RULE_OF_TABLE.test(lines[at + 1] ?? '')) return this.#table(lines, at)
    if (ITEM.test(line)) return this.#list(lines, at)
    return this.#paragraph(lines, at, isDeep)
  }

  #heading(level: number, source: string, at: number): string {
    const text = plainText(source)
    const anchor = anchorOf(text)
    const before = this.#anchors.get(anchor) ?? 0
    this.#anchors.set(anchor, before + 1)
    const id = before === 0 ? anchor : `${anchor}-${before}`
    this.headings.push({ level, id, text, at })
    const html = renderInline(source, this.#lead)
    if (level === 1) return `<h1 id="${escapeHtml(id)}">${html}</h1>`
    return `<h${level} id="${escapeHtml(id)}"><a class="anchor" href="#${escapeHtml(id)}">${html}</a></h${level}>`
  }

  #paragraph(lines: readonly string[], at: number, isDeep: boolean): Taken {
    let next = at + 1
    while (next < lines.length && isContinued(lines[next] ?? '')) next += 1
    const source = lines
      .slice(at, next)
      .map((line) => line.trim())
      .join('\n')
    if (!isDeep && this.summary === '') this.summary = plainText(source).replaceAll('\n', ' ')
    return { html: `<p>${renderInline(source, this.#lead)}</p>`, next }
  }

  #list(lines: readonly string[], at: number): Taken {
    const isOrdered = /\d/.test(ITEM.exec(lines[at] ?? '')?.[2] ?? '')
    const items: string[] = []
    let next = at
    while (next < lines.length) {
      const marker = ITEM.exec(lines[next] ?? '')
      if (!marker || /\d/.test(marker[2] ?? '') !== isOrdered) break
      const width = marker[0].length
      let end = next + 1
      while (end < lines.length && belongs(lines, end, width)) end += 1
      const inner = lines.slice(next, end).map((line, index) => (index === 0 ? line.slice(width) : dedent(line, width)))
      items.push(`<li>${unboxed(this.blocks(inner, true))}</li>`)
      next = end
    }
    const tag = isOrdered ? 'ol' : 'ul'
    return { html: `<${tag}>\n${items.join('\n')}\n</${tag}>`, next }
  }

  #table(lines: readonly string[], at: number): Taken {
    const head = cellsOf(lines[at] ?? '')
    let next = at + 2
    const rows: string[] = []
    while (lines[next]?.startsWith('|')) {
      const cells = cellsOf(lines[next] ?? '').map((cell) => `<td>${renderInline(cell, this.#lead)}</td>`)
      rows.push(`<tr>${cells.join('')}</tr>`)
      next += 1
    }
    // A table that is a list of pairs has no head to read out.
    const titles = head.map((cell) =>
      cell === '' ? '<td></td>' : `<th scope="col">${renderInline(cell, this.#lead)}</th>`,
    )
    const top = head.some((cell) => cell !== '') ? `<thead><tr>${titles.join('')}</tr></thead>` : ''
    const table = `<table>${top}<tbody>\n${rows.join('\n')}\n</tbody></table>`
    return { html: `<div class="wide" role="group" aria-label="Table" tabindex="0">${table}</div>`, next }
  }
}

function code(lines: readonly string[], at: number): Taken {
  const [, indent = '', language = ''] = FENCE.exec(lines[at] ?? '') ?? []
  let end = at + 1
  while (end < lines.length && lines[end]?.trim() !== '```') end += 1
  const text = lines.slice(at + 1, end).map((line) => dedent(line, indent.length))
  const named = language === '' ? '' : ` data-language="${language}"`
  return { html: `<pre tabindex="0"${named}><code>${escapeHtml(text.join('\n'))}</code></pre>`, next: end + 1 }
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
}

function isContinued(line: string): boolean {
  return line.trim() !== '' && !FENCE.test(line) && !HEADING.test(line) && !ITEM.test(line) && !line.startsWith('|')
}

/** Still of an item: indented as far as its text, or an empty line before one that is. */
function belongs(lines: readonly string[], at: number, width: number): boolean {
  const line = lines[at] ?? ''
  if (line.trim() !== '') return line.startsWith(' '.repeat(width))
  const rest = lines.slice(at).find((it) => it.trim() !== '')
  return rest?.startsWith(' '.repeat(width)) ?? false
}

function dedent(line: string, width: number): string {
  return line.slice(Math.min(width, line.length - line.trimStart().length))
}

function unboxed(html: string): string {
  return html.replace(/^<p>((?:(?!<p>).)*?)<\/p>/s, '$1')
}
