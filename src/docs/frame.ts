// The HTML frame of the documentation pages: header, contents and search, without inline scripts or styles.
import { escapeHtml } from '../http/escape.ts'
import { REFERENCE_ROOT } from '../http/openapi/serve.ts'
import { FAVICON_LINK } from '../http/pages.ts'
import { DOCS_PARTS, type DocsPage, type DocsPart, PART_TITLES, type PageContent } from './pages.ts'
import type { SearchResult } from './search.ts'

export interface PageFrame {
  pages: readonly DocsPage[]
  /** The theme chosen in the console; null follows the system. */
  theme: 'light' | 'dark' | null
  /** URLs of the files that a page loads. */
  style: string
  script: string
}

export function renderPage({ pages, theme, style, script }: PageFrame, content: PageContent): string {
  const { title, html, url, sections = [], query = '', contents = docsContents(pages, url) } = content
  return `<!doctype html>
<html lang="en"${theme ? ` data-theme="${theme}"` : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme ?? 'light dark'}">
<title>${escapeHtml(title)} · Hulaki</title>
<link rel="stylesheet" href="${style}">
${FAVICON_LINK}
<script src="${script}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="name" href="/docs">${LOGO}Hulaki <span>Docs</span></a>
<form class="search" action="/docs/search" method="get" role="search">
<label class="hidden" for="q">Search the docs</label>
<input id="q" name="q" type="search" maxlength="100" autocomplete="off" placeholder="Search the docs" value="${escapeHtml(query)}">
<button type="submit">Search</button>
<div id="found" class="found" hidden></div>
<p id="found-count" class="hidden" role="status"></p>
</form>
<a class="to-contents" href="#contents">Contents</a>
<a class="to-console" href="/console">Console</a>
</header>
<div class="columns">
<main id="main" tabindex="-1">
<article>
${html}
</article>
</main>
${onThisPage(sections)}
<nav id="contents" class="contents" aria-label="Contents">
${contents}
</nav>
</div>
</body>
</html>
`
}

const LOGO = `<svg class="logo" viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="6"/><path d="M6.75 5.5v13M17.25 5.5v13M6.75 10.25L12 14l5.25-3.75"/></svg>`
const API_REFERENCE = 'API reference'
const API_CARD = `<li><a href="${REFERENCE_ROOT}"><strong>${API_REFERENCE}</strong><span>Every endpoint of both APIs with its parameters,
responses and errors. For programs: <code>/api/sms/v1/openapi.json</code>.</span></a></li>\n`

function docsContents(pages: readonly DocsPage[], here: string): string {
  const link = (url: string, title: string) =>
    `<li><a href="${url}"${url === here ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`
  const part = (name: DocsPart) => {
    const links = pages.filter((page) => page.part === name).map((page) => link(page.url, page.title))
    const api = name === 'reference' ? link(REFERENCE_ROOT, API_REFERENCE) : ''
    return `<h2>${PART_TITLES[name]}</h2>\n<ul>${api}${links.join('\n')}</ul>`
  }
  return DOCS_PARTS.map(part).join('\n')
}

function onThisPage(sections: DocsPage['sections']): string {
  const shown = sections.filter(({ level }) => level === 2)
  if (shown.length < 2) return ''
  const links = shown.map(({ id, text }) => `<li><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`)
  return `<nav class="on-page" aria-label="On this page">
<h2>On this page</h2>
<ul>${links.join('\n')}</ul>
</nav>`
}

export function indexPage(pages: readonly DocsPage[]): string {
  const part = (name: DocsPart) => {
    const cards = pages
      .filter((page) => page.part === name)
      .map(
        ({ url, title, summary }) =>
          `<li><a href="${url}"><strong>${escapeHtml(title)}</strong><span>${escapeHtml(firstSentence(summary))}</span></a></li>`,
      )
    const api = name === 'reference' ? API_CARD : ''
    return `<h2 id="${name}">${PART_TITLES[name]}</h2>\n<ul class="cards">\n${api}${cards.join('\n')}\n</ul>`
  }
  return `<h1>Documentation</h1>
<p>Guides, API reference, operations and design. Commands in the guides and the reference use the address of this service.</p>
${DOCS_PARTS.map(part).join('\n')}`
}

function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text
}

export function searchPage(query: string, found: readonly SearchResult[]): string {
  const count = found.length === 0 ? 'No results' : found.length === 1 ? '1 result' : `${found.length} results`
  const summary = query === '' ? 'Enter some words.' : `${count} for ‘${query}’.`
  const items = found.map(
    ({ url, title, within, excerpt, titleHits, excerptHits }) =>
      `<li><a href="${escapeHtml(url)}">${markHits(title, titleHits)}</a> <span class="quiet">${escapeHtml(within)}</span>
<p>${markHits(excerpt, excerptHits)}</p></li>`,
  )
  return `<h1>Search</h1>
<p>${escapeHtml(summary)}</p>
${items.length > 0 ? `<ol class="results">\n${items.join('\n')}\n</ol>` : ''}`
}

function markHits(text: string, hits: SearchResult['titleHits']): string {
  let html = ''
  let from = 0
  for (const [start, end] of hits) {
    html += `${escapeHtml(text.slice(from, start))}<mark>${escapeHtml(text.slice(start, end))}</mark>`
    from = end
  }
  return html + escapeHtml(text.slice(from))
}
