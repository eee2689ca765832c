// Renders Markdown as safe HTML, with its sections for the contents and the search. HTML in a source is shown as text.
import { Marked, type RendererObject, type Token, type Tokens } from 'marked'
import { escapeHtml } from '../http/escape.ts'
import { renderListing } from './highlight.ts'

/** Resolves a link of the source; null if its target is not served. */
type ResolveLink = (href: string) => string | null

interface Heading {
  level: number
  id: string
  text: string
}

/** `words` is the text up to the next heading, for the search. */
export interface Section extends Heading {
  words: string
}

interface RenderedPage {
  html: string
  title: string
  /** The first paragraph as plain text. */
  summary: string
  sections: Section[]
}

const ANCHOR = /^<a id="([\w-]+)">$/
/** Between these comments, every section is a tab with the name of its heading. */
const TABS = /^<!-- (\/?)tabs -->\n*/

export function renderMarkdown(source: string, resolveLink: ResolveLink): RenderedPage {
  const ids = new Map<Token, string>()
  const marked = new Marked({
    renderer: rendererFor(ids, resolveLink),
    // Bare URLs stay text, because most are examples. A block of HTML is a paragraph, so that its Markdown is rendered.
    tokenizer: { url: () => undefined, html: () => undefined },
    extensions: [{ name: 'tabs', level: 'block', tokenizer: readTabs }],
  })
  const tokens = marked.lexer(source.replaceAll(/<!--(?! \/?tabs -->).*?-->\n?/gs, ''))
  const sections: Section[] = []
  for (const token of tokens) {
    if (token.type !== 'heading') {
      const section = sections.at(-1)
      if (section) section.words = `${section.words} ${plainText(token)}`.trim()
      continue
    }
    const text = plainText(token)
    const anchor = anchorOf(text)
    const before = sections.filter((section) => anchorOf(section.text) === anchor).length
    const id = before === 0 ? anchor : `${anchor}-${before}`
    ids.set(token, id)
    sections.push({ level: token.depth, id, text, words: '' })
  }
  const first = tokens.find(({ type }) => type === 'paragraph')
  const summary = first ? plainText(first) : ''
  const html = joinTabs(tokens, (some) => marked.parser(some))
  return { html, title: sections[0]?.text ?? '', summary, sections }
}

function readTabs(source: string): Tokens.Generic | undefined {
  const [raw, end] = TABS.exec(source) ?? []
  return raw === undefined ? undefined : { type: 'tabs', raw, text: '', isEnd: end === '/' }
}

/** Without scripts all sections are visible, one below the other. */
function joinTabs(tokens: readonly Token[], render: (tokens: Token[]) => string): string {
  let html = ''
  let gathered: Token[] = []
  let panelDepth: number | null = null
  let isInTabs = false
  const flush = () => {
    html += render(gathered)
    gathered = []
  }
  for (const token of tokens) {
    if (token.type === 'tabs') {
      flush()
      html += isInTabs ? `${panelDepth === null ? '' : '</section>\n'}</div>\n` : '<div class="tabs">\n'
      isInTabs = !token.isEnd
      panelDepth = null
    } else if (isInTabs && token.type === 'heading' && (panelDepth ?? token.depth) === token.depth) {
      flush()
      html += `${panelDepth === null ? '' : '</section>\n'}<section data-tab="${escapeHtml(plainText(token))}">\n`
      panelDepth = token.depth
      gathered.push(token)
    } else gathered.push(token)
  }
  flush()
  return html
}

function rendererFor(ids: ReadonlyMap<Token, string>, resolveLink: ResolveLink): RendererObject {
  return {
    heading(token) {
      const { depth } = token
      const id = escapeHtml(ids.get(token) ?? '')
      const html = this.parser.parseInline(token.tokens)
      const linked = depth === 1 ? html : `<a class="anchor" href="#${id}">${html}</a>`
      return `<h${depth} id="${id}">${linked}</h${depth}>\n`
    },
    code: ({ text, lang }) => renderListing(text, lang),
    table({ header, rows }) {
      const cells = (row: Tokens.TableCell[]) => row.map((cell) => this.tablecell(cell)).join('')
      // A table of pairs has no header.
      const head = header.some(({ text }) => text !== '') ? `<thead><tr>${cells(header)}</tr></thead>` : ''
      const body = rows.map((row) => `<tr>${cells(row)}</tr>`).join('\n')
      return `<div class="wide" role="group" aria-label="Table" tabindex="0"><table>${head}<tbody>\n${body}\n</tbody></table></div>\n`
    },
    tablecell({ tokens, header, text }) {
      const html = this.parser.parseInline(tokens)
      return header && text !== '' ? `<th scope="col">${html}</th>` : `<td>${html}</td>`
    },
    link({ href, tokens }) {
      const target = resolveLink(href)
      const text = this.parser.parseInline(tokens)
      return target === null ? text : `<a href="${escapeHtml(target)}">${text}</a>`
    },
    // The service serves no images.
    image: ({ text }) => escapeHtml(text),
    html({ text }) {
      const [, id] = ANCHOR.exec(text) ?? []
      if (id !== undefined) return `<span id="${id}"></span>`
      return text === '</a>' ? '' : escapeHtml(text)
    },
  }
}

/** The same anchors as on GitHub, so that links work in both places. */
function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

function plainText(token: Token): string {
  return textOf(token).replaceAll(/\s+/g, ' ').trim()
}

function textOf(token: Token): string {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table
    return [header, ...rows].flatMap((row) => row.map(({ tokens }) => tokens.map(textOf).join(''))).join(' ')
  }
  if (token.type === 'list') return (token as Tokens.List).items.map(textOf).join(' ')
  if (token.type === 'html' && /^<\/?a\b/.test(token.raw)) return ''
  if ('tokens' in token && token.tokens) {
    return token.tokens.map(textOf).join(token.type === 'list_item' ? ' ' : '')
  }
  return 'text' in token ? String(token.text) : token.raw
}

/** A text of the OpenAPI document. Its links lead to other sites or start at the root, because it is shown on several pages. */
export function renderDescription(source: string): string {
  return source === '' ? '' : renderMarkdown(source, (href) => (/^(https?:\/\/|#|\/)/.test(href) ? href : null)).html
}
