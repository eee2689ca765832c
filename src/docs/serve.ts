// Serves the documentation and its search, without authentication and without the internet (D51).
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type PublicUrl, printableAddress } from '../http/address.ts'
import type { DocumentAddress } from '../http/openapi/serve.ts'
import { PAGE_HEADERS, readTheme } from '../http/pages.ts'
import { sendRefusal } from '../http/reply.ts'
import { SecondLimit, TOO_OFTEN } from '../http/second-limit.ts'
import { indexPage, type PageContent, type PageFrame, renderPage, searchPage } from './frame.ts'
import { DOCS_PARTS, type DocsPage, type DocsPart, readPages, withAddress } from './pages.ts'
import { entriesOfApi, entriesOfPages, readSearchQuery, type SearchEntry, search } from './search.ts'

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

interface Asset {
  url: string
  type: string
  text: string
}

type SendPage = (request: FastifyRequest, reply: FastifyReply, content: PageContent) => FastifyReply

export function serveDocs(server: FastifyInstance, options: DocsOptions): void {
  let read: DocsPage[] | undefined
  const pages = () => {
    read ??= readPages()
    return read
  }
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
      return reply.type('text/html; charset=utf-8').header('vary', 'cookie').send(renderPage(framing, content))
    }
    for (const { url, type, text } of Object.values(assets)) {
      app.get(url, async (_request, reply) =>
        reply.type(type).header('cache-control', 'public, max-age=31536000, immutable').send(text),
      )
    }
    app.get('/docs', async (request, reply) =>
      send(request, reply, { title: 'Documentation', url: '/docs', html: indexPage(pages()) }),
    )
    app.get<{ Params: { part: DocsPart; name: string } }>(
      `/docs/:part(^(?:${DOCS_PARTS.join('|')})$)/:name`,
      async (request, reply) => {
        const { part, name } = request.params
        const page = pages().find((it) => it.part === part && it.name === name)
        if (!page) return send(request, reply.code(404), { title: 'Page not found', url: '', html: NOT_FOUND })
        const html = withAddress(page, printableAddress(request, options.publicUrl))
        return send(request, reply, { ...page, html })
      },
    )
    mountSearch(app, { ...options, pages, send })
  })
}

function mountSearch(
  app: FastifyInstance,
  { documents, searchesPerSecond, pages, send }: DocsOptions & { pages: () => DocsPage[]; send: SendPage },
): void {
  const searches = new SecondLimit(searchesPerSecond ?? SEARCHES_PER_SECOND)
  let entries: Promise<SearchEntry[]> | undefined
  const index = () => {
    // The next request retries an index that could not be built.
    entries ??= indexAll(app, pages(), documents).catch((error) => {
      entries = undefined
      throw error
    })
    return entries
  }
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
async function indexAll(
  server: FastifyInstance,
  pages: readonly DocsPage[],
  documents: readonly DocumentAddress[],
): Promise<SearchEntry[]> {
  const answers = await Promise.all(documents.map(({ path }) => server.inject(path)))
  return [...entriesOfPages(pages), ...answers.flatMap((answer) => entriesOfApi(answer.json()))]
}

/** Uses the base styles of the console, if the checkout has them. */
function readAssets(): { style: Asset; script: Asset } {
  const here = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8')
  const base = '../../ui/base.css'
  const style = `${existsSync(join(import.meta.dirname, base)) ? here(base) : ''}\n${here('docs.css')}`
  const named = (name: string, type: string, text: string): Asset => {
    const [stem = '', ending = ''] = name.split('.')
    return { url: `/docs/assets/${stem}-${hash('sha256', text).slice(0, 12)}.${ending}`, type, text }
  }
  return {
    style: named('docs.css', 'text/css; charset=utf-8', style),
    script: named('docs.js', 'text/javascript; charset=utf-8', here('docs.js')),
  }
}
