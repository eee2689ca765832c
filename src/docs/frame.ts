// The frame of every page of the documentation: where one is, what else there is, and the search. No script or style of its own.
import { REFERENCE_ROOT } from '../http/openapi/serve.ts'
import { escapeHtml } from './markdown.ts'
import type { DocsPage } from './pages.ts'
import type { Found } from './search.ts'

export interface Framing {
  pages: readonly DocsPage[]
  /** What the console remembered; null where the system's is followed. */
  theme: 'light' | 'dark' | null
  /** Names of the files that a page loads. */
  style: string
  script: string
}

export interface Content {
  title: string
  html: string
  url: string
  /** Beside it, where there is room: what stands on it. */
  sections?: DocsPage['sections']
  query?: string
}

export function frame({ pages, theme, style, script }: Framing, content: Content): string {
  const { title, html, url, sections = [], query = '' } = content
  return `<!doctype html>
<html lang="en"${theme ? ` data-theme="${theme}"` : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme ?? 'light dark'}">
<title>${escapeHtml(title)} · Hulaki</title>
<link rel="stylesheet" href="${style}">
<link rel="icon" href="data:,">
<script src="${script}" defer></script>
</head>
<body>
<a class="skip" href="#main">To the text</a>
<header class="top">
<a class="name" href="/docs">Hulaki <span>Docs</span></a>
<form class="search" action="/docs/search" method="get" role="search">
<label class="hidden" for="q">Search guides and reference</label>
<input id="q" name="q" type="search" maxlength="100" autocomplete="off" placeholder="Search guides and reference" value="${escapeHtml(query)}">
<button type="submit">Search</button>
<div id="found" class="found" hidden></div>
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
${contents(pages, url)}
</nav>
</div>
</body>
</html>
`
}

function contents(pages: readonly DocsPage[], here: string): string {
  const link = (url: string, title: string) =>
    `<li><a href="${url}"${url === here ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`
  const shelf = (name: DocsPage['shelf']) =>
    pages.filter((page) => page.shelf === name).map((page) => link(page.url, page.title))
  return `<h2>Guides</h2>
<ul>${shelf('guides').join('\n')}</ul>
<h2>Reference</h2>
<ul>${link(REFERENCE_ROOT, 'Every call of the APIs')}</ul>
<h2>Manuals</h2>
<ul>${shelf('manuals').join('\n')}</ul>`
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
  const cards = (shelf: DocsPage['shelf']) =>
    pages
      .filter((page) => page.shelf === shelf)
      .map(
        ({ url, title, summary }) =>
          `<li><a href="${url}"><strong>${escapeHtml(title)}</strong><span>${escapeHtml(firstSentence(summary))}</span></a></li>`,
      )
      .join('\n')
  return `<h1>Documentation</h1>
<p>Guides take you there, the reference has every call, manuals tell all of it. Commands are printed with the address of this service
and run as they stand.</p>
<h2 id="guides">Guides</h2>
<ul class="cards">
${cards('guides')}
</ul>
<h2 id="reference">Reference</h2>
<ul class="cards">
<li><a href="${REFERENCE_ROOT}"><strong>Every call of the APIs</strong><span>What each takes, answers and refuses, with
examples; tried out in the page. For programs: <code>/api/sms/v1/openapi.json</code>.</span></a></li>
</ul>
<h2 id="manuals">Manuals</h2>
<ul class="cards">
${cards('manuals')}
</ul>`
}

function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text
}

export function searchPage(query: string, found: readonly Found[]): string {
  const said =
    query === '' ? 'Ask for some words.' : `${found.length === 0 ? 'Nothing' : found.length} found for ‘${query}’.`
  const items = found.map(
    ({ url, title, within, excerpt }) =>
      `<li><a href="${escapeHtml(url)}">${escapeHtml(title)}</a> <span class="quiet">${escapeHtml(within)}</span>
<p>${escapeHtml(excerpt)}</p></li>`,
  )
  return `<h1>Search</h1>
<p>${escapeHtml(said)}</p>
${items.length > 0 ? `<ol class="results">\n${items.join('\n')}\n</ol>` : ''}`
}
