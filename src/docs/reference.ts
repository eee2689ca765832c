// The API reference as pages: one for each API and one for each tag, rendered from the OpenAPI documents at the first request.
import { escapeHtml } from '../http/escape.ts'
import { REFERENCE_ROOT } from '../http/openapi/serve.ts'
import type { ReferenceApi, ReferenceCall, ReferenceTag } from './api-document.ts'
import { renderDescription } from './markdown.ts'
import type { PageContent } from './pages.ts'
import { breakable, methodMark, renderCall } from './reference-call.ts'

/** The contents of every page of the reference. */
export function referenceContents(apis: readonly ReferenceApi[], here: string): string {
  const link = (url: string, text: string) =>
    `<li><a href="${url}"${url === here ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a></li>`
  const parts = apis.map(
    ({ title, url, tags }) =>
      `<h2>${escapeHtml(title)}</h2>\n<ul>${link(url, 'Introduction')}${tags.map((tag) => link(tag.url, tag.name)).join('\n')}</ul>`,
  )
  return `<ul><li><a href="/docs">← All documentation</a></li>${link(REFERENCE_ROOT, 'API reference')}</ul>\n${parts.join('\n')}`
}

export function referenceIndex(apis: readonly ReferenceApi[]): PageContent {
  const parts = apis.map(({ title, slug, url, file, document, tags }) => {
    const cards = tags.map(
      (tag) =>
        `<li><a href="${tag.url}"><strong>${escapeHtml(tag.name)}</strong><span>${escapeHtml(tag.description)}</span></a></li>`,
    )
    const [summary = ''] = (document.info.description ?? '').split('\n\n')
    return `<h2 id="${slug}"><a class="anchor" href="#${slug}">${escapeHtml(title)}</a></h2>
${renderDescription(summary)}<p><a href="${url}">Introduction</a> · <a href="${file}">OpenAPI document</a></p>
<ul class="cards">\n${cards.join('\n')}\n</ul>`
  })
  const html = `<h1>API reference</h1>
<p>Every endpoint of both APIs, with parameters, responses and errors.</p>
${parts.join('\n')}`
  return { title: 'API reference', url: REFERENCE_ROOT, html, contents: referenceContents(apis, REFERENCE_ROOT) }
}

export function renderApi(apis: readonly ReferenceApi[], api: ReferenceApi): PageContent {
  const { title, url, file, document, tags } = api
  const lists = tags.map(
    (tag) => `<h2 id="${tag.slug}"><a class="anchor" href="#${tag.slug}">${escapeHtml(tag.name)}</a></h2>
${renderDescription(tag.description)}${callList(tag.calls)}`,
  )
  const html = `<h1>${escapeHtml(title)}</h1>
<p class="base"><code>${escapeHtml(document.servers[0]?.url ?? '')}</code> · <a href="${file}">OpenAPI document</a></p>
${renderDescription(document.info.description ?? '')}
${lists.join('\n')}`
  const sections = tags.map((tag) => ({ level: 2, id: tag.slug, text: tag.name, words: '' }))
  return { title, url, html, sections, contents: referenceContents(apis, url) }
}

export function renderTag(apis: readonly ReferenceApi[], api: ReferenceApi, tag: ReferenceTag): PageContent {
  const html = `<p class="crumb"><a href="${api.url}">${escapeHtml(api.title)}</a></p>
<h1>${escapeHtml(tag.name)}</h1>
${renderDescription(tag.description)}${callList(tag.calls)}
${tag.calls.map((call) => renderCall(api, call)).join('\n')}`
  const sections = tag.calls.map(({ id, summary }) => ({ level: 2, id, text: summary, words: '' }))
  return {
    title: `${tag.name} · ${api.title}`,
    url: tag.url,
    html,
    sections,
    contents: referenceContents(apis, tag.url),
  }
}

function callList(calls: readonly ReferenceCall[]): string {
  const items = calls.map(
    ({ url, method, path, summary }) =>
      `<li><a href="${escapeHtml(url)}"><span>${escapeHtml(summary)}</span> <span class="call">${methodMark(method)} <code>${breakable(path)}</code></span></a></li>`,
  )
  return `<ul class="calls">\n${items.join('\n')}\n</ul>\n`
}
