// Serves the documentation and its search, without authentication and without the internet (D51).
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type PublicUrl, printableAddress } from '../http/address.ts'
import { type Asset, compressAsset, sendAsset, sendHtml } from '../http/assets.ts'
import { type DocumentAddress, REFERENCE_ROOT } from '../http/openapi/serve.ts'
import { PAGE_HEADERS, readTheme } from '../http/pages.ts'
import { sendRefusal } from '../http/reply.ts'
import { SecondLimit, TOO_OFTEN } from '../http/second-limit.ts'
import { type ReferenceApi, readApi } from './api-document.ts'
import { indexPage, type PageFrame, renderPage, searchPage } from './frame.ts'
import { DOCS_PARTS, type DocsPage, type DocsPart, type PageContent, readPages, withAddress } from './pages.ts'
import { referenceIndex, renderApi, renderTag } from './reference.ts'
import { boundIndex, entriesOfApi, entriesOfPages, readSearchQuery, type SearchEntry, search } from './search.ts'

interface DocsOptions {
  documents: readonly DocumentAddress[]
  publicUrl: PublicUrl
  /** Only tests set it. */
  searchesPerSecond?: number
}

/** A search of eight letters takes about 2.5 ms of the process that also accepts messages, and searches are public. */
const SEARCHES_PER_SECOND = 50

const TOO_MANY = '<h1>Search</h1>\n<p>Too many searches at the moment. Please try again in a second.</p>'
const NOT_FOUND = '<h1>Page not found</h1>\n<p>Use the search or the contents to find it.</p>'

type SendPage = (request: FastifyRequest, reply: FastifyReply, content: PageContent) => Promise<FastifyReply>

export function serveDocs(server: FastifyInstance, options: DocsOptions): void {
  const pages = once(() => readPages())
  const assets = readAssets()
  server.register(async (app) => {
    app.addHook('onRequest', (_request, reply, done) => {
      reply.headers(PAGE_HEADERS)
      done()
    })
    const send: SendPage = (request, reply, content) => {
      const framing: PageFrame = {
        pages: pages(),
        theme: readTheme(request.headers.cookie),
        style: assets.style.url,
        script: assets.script.url,
      }
      return sendHtml(reply, renderPage(framing, content))
    }
    for (const { url, asset } of Object.values(assets)) app.get(url, async (_request, reply) => sendAsset(reply, asset))
    const parts: DocsParts = { ...options, pages, send, apis: untilRead(() => readApis(app, options.documents)) }
    app.get('/docs', async (request, reply) =>
      send(request, reply, { title: 'Documentation', url: '/docs', html: indexPage(pages()) }),
    )
    const showReference = createReference(parts)
    app.get<{ Params: { part: DocsPart; name: string } }>(
      `/docs/:part(^(?:${DOCS_PARTS.join('|')})$)/:name`,
      async (request, reply) => {
        const { part, name } = request.params
        const page = pages().find((it) => it.part === part && it.name === name)
        if (!page) return showReference(request, reply)
        const html = withAddress(page, printableAddress(request, options.publicUrl))
        return send(request, reply, { ...page, html })
      },
    )
    app.get(REFERENCE_ROOT, showReference)
    app.get(`${REFERENCE_ROOT}/:api/:tag`, showReference)
    mountSearch(app, parts)
  })
}

interface DocsParts extends DocsOptions {
  pages: () => DocsPage[]
  apis: () => Promise<ReferenceApi[]>
  send: SendPage
}

/** Pages of the reference are rendered once, with the address in the document, and sent with the address of the request. */
function createReference({ publicUrl, apis, send }: DocsParts) {
  const rendered = new Map<string, PageContent>()
  const render = (all: readonly ReferenceApi[], path: string): PageContent | undefined => {
    if (path === REFERENCE_ROOT) return referenceIndex(all)
    const api = all.find(({ url }) => url === path)
    if (api) return renderApi(all, api)
    for (const other of all) {
      const tag = other.tags.find(({ url }) => url === path)
      if (tag) return renderTag(all, other, tag)
    }
    return undefined
  }
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const [path = ''] = request.url.replace(/\/$/, '').split(/\/?[?#]/)
    const all = await apis()
    const page = rendered.get(path) ?? render(all, path)
    if (!page) return send(request, reply.code(404), { title: 'Page not found', url: '', html: NOT_FOUND })
    rendered.set(path, page)
    const address = printableAddress(request, publicUrl)
    const html = all.reduce((text, { origin }) => text.replaceAll(`${origin}/`, `${address}/`), page.html)
    return send(request, reply, { ...page, html })
  }
}

function mountSearch(app: FastifyInstance, { searchesPerSecond, pages, apis, send }: DocsParts): void {
  const searches = new SecondLimit(searchesPerSecond ?? SEARCHES_PER_SECOND)
  const index = untilRead(
    async (): Promise<SearchEntry[]> =>
      boundIndex([...entriesOfPages(pages()), ...(await apis()).flatMap(entriesOfApi)]),
  )
  app.get<{ Querystring: { q?: unknown } }>('/docs/search', async (request, reply) => {
    const query = readSearchQuery(request.query.q)
    const page = { title: 'Search', url: '', query }
    if (!searches.take())
      return send(request, reply.code(TOO_OFTEN.status).header('retry-after', '1'), { ...page, html: TOO_MANY })
    return send(request, reply, { ...page, html: searchPage(query, search(await index(), query)) })
  })
  app.get<{ Querystring: { q?: unknown } }>('/docs/search.json', async (request, reply) => {
    if (!searches.take()) return sendRefusal(reply, TOO_OFTEN)
    const items = search(await index(), readSearchQuery(request.query.q))
    return reply.type('application/json; charset=utf-8').send({ items })
  })
}

/** Gets the OpenAPI documents through the server, which builds them. */
async function readApis(server: FastifyInstance, documents: readonly DocumentAddress[]): Promise<ReferenceApi[]> {
  const answers = await Promise.all(documents.map(({ path }) => server.inject(path)))
  return answers.map((answer, index) => readApi(answer.json(), documents[index]?.path ?? ''))
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Reads once. The next request retries a read that failed. */
function untilRead<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined
  return () => {
    reading ??= read().catch((error) => {
      reading = undefined
      throw error
    })
    return reading
  }
}

/** Uses the base styles of the console, if the checkout has them. */
function readAssets(): Record<'style' | 'script', { url: string; asset: Asset }> {
  const here = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8')
  const base = '../../ui/base.css'
  const style = `${existsSync(join(import.meta.dirname, base)) ? here(base) : ''}\n${here('docs.css')}`
  const named = (name: string, type: string, text: string) => {
    const [stem = '', ending = ''] = name.split('.')
    const url = `/docs/assets/${stem}-${hash('sha256', text).slice(0, 12)}.${ending}`
    return { url, asset: compressAsset(type, text) }
  }
  return {
    style: named('docs.css', 'text/css; charset=utf-8', style),
    script: named('docs.js', 'text/javascript; charset=utf-8', here('docs.js')),
  }
}
