// The API reference as pages: complete, small, in the style of the documentation, and safe.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import type { ApiDocument } from '../../src/docs/api-document.ts'
import { exampleOf, renderFields, type Schema } from '../../src/docs/schema.ts'
import { serveDocs } from '../../src/docs/serve.ts'
import { renderSnippets } from '../../src/docs/snippets.ts'
import { ManualClock } from '../../src/runtime/clock.ts'
import { Ids } from '../../src/runtime/ids.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { apiDocument, emptyServer, managementDocument } from '../harness/mounted-routes.ts'

/** The limit of the first view; today it is about 10 kB, and 25 kB on the longest page. */
const FIRST_VIEW_BYTES = 40_000
let app: FastifyInstance
let documents: ApiDocument[]
let urls: string[]

before(async () => {
  app = emptyServer({ ids: new Ids(new ManualClock(new Date(0)), systemRandom) })
  documents = [await apiDocument(), await managementDocument()] as unknown as ApiDocument[]
  const named = documents.map((document, index) => {
    app.get(`/${index}.json`, async () => document)
    return { title: document.info.title, path: `/${index}.json` }
  })
  serveDocs(app, { documents: named, publicUrl: null })
  const { body } = await app.inject('/docs/reference')
  const found = Array.from(body.matchAll(/href="(\/docs\/reference[^"#]*)"/g), ([, url = '']) => url)
  urls = [...new Set(found)]
})

test('has a page for each API and each tag, with every endpoint, its roles and its errors', async () => {
  const bodies = await Promise.all(urls.map(async (url) => (await app.inject(url)).body))
  const all = bodies.join('\n')
  for (const { paths, servers, info } of documents) {
    const root = new URL(servers[0]?.url ?? '').pathname
    assert.ok(all.includes(`<h1>${info.title}</h1>`))
    for (const [path, calls] of Object.entries(paths))
      for (const [method, { responses = {}, summary = '', 'x-roles': roles }] of Object.entries(calls)) {
        const id = `${method.toUpperCase()}${path}`
        const [, section = ''] = all.split(`<h2 id="${id}">`)
        const [own = ''] = section.split('</section>\n<section class="endpoint">')
        assert.ok(own.includes(`<code>${`${root}${path}`.replaceAll('/', '/<wbr>')}</code>`), id)
        assert.ok(own.includes(summary.replaceAll("'", '&#39;')), id)
        if (roles) assert.match(own, /<p class="limits">(Roles: |Needs no authentication)/, id)
        for (const role of roles?.includes('anybody') ? [] : (roles ?? []))
          assert.ok(own.includes(role), `${id} ${role}`)
        for (const status of Object.keys(responses)) assert.ok(own.includes(status), `${id} ${status}`)
      }
  }
  for (const event of ['message.status', 'message.inbound']) assert.ok(all.includes(`<h2 id="${event}">`), event)
})

test('links only to pages and anchors that exist, with a way back to the documentation and the console', async () => {
  const bodies = new Map(await Promise.all(urls.map(async (url) => [url, (await app.inject(url)).body] as const)))
  for (const [url, body] of bodies) {
    assert.match(body, /<a href="\/docs">← All documentation<\/a>/)
    assert.match(body, /<a class="to-console" href="\/console">/)
    for (const [, path = '', anchor] of body.matchAll(/href="(\/docs\/reference[^"#]*)?(?:#([^"]*))?"/g)) {
      const target = bodies.get(path === '' ? url : path)
      assert.ok(target, `${url}: ${path}`)
      if (anchor) assert.ok(target.includes(` id="${anchor}"`), `${url}: ${path}#${anchor}`)
    }
    const ids = Array.from(body.matchAll(/ id="([^"]+)"/g), ([, id]) => id)
    assert.equal(new Set(ids).size, ids.length, `${url}: every id once`)
  }
})

test(`transfers less than ${FIRST_VIEW_BYTES / 1000} kB on the first view of any page, compressed`, async () => {
  for (const accepted of ['br', 'gzip']) {
    for (const url of urls) {
      const page = await app.inject({ url, headers: { 'accept-encoding': accepted } })
      assert.deepEqual([page.statusCode, page.headers['content-encoding']], [200, accepted], url)
      const { body } = await app.inject(url)
      const files = Array.from(
        body.matchAll(/<(?:link|script)[^>]*?(?:href|src)="(\/[^"]+)"/g),
        ([, file = '']) => file,
      )
      assert.equal(files.length, 2)
      let bytes = page.rawPayload.length
      for (const file of files) {
        const { headers, rawPayload } = await app.inject({ url: file, headers: { 'accept-encoding': accepted } })
        assert.equal(headers['content-encoding'], accepted)
        assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
        assert.match(file, /-[a-f\d]{12}\.(css|js)$/)
        bytes += rawPayload.length
      }
      assert.ok(bytes < FIRST_VIEW_BYTES, `${url}: ${bytes} bytes`)
    }
  }
})

test('prints the address of the request in the examples, and answers 404 for an unknown page', async () => {
  const { body } = await app.inject({
    url: '/docs/reference/sms-and-otp-api/messages',
    headers: { host: 'sms.example.com:8443' },
  })
  assert.match(body, /http:\/\/sms\.example\.com:8443\/api\/sms\/v1\/sms\/send/)
  assert.doesNotMatch(body, /localhost/)
  for (const url of ['/docs/reference/none', '/docs/reference/none/messages', '/docs/reference/sms-and-otp-api/none'])
    assert.equal((await app.inject(url)).statusCode, 404, url)
  assert.equal((await app.inject('/docs/reference/sms-and-otp-api/messages/?x=1')).statusCode, 200)
})

test('lists fields of objects, lists and alternatives, and ends at a schema that contains itself', () => {
  const schemas: Record<string, Schema> = {
    Tree: {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 9, description: 'A <b>.' },
        children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
        kind: { anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }], default: 'a' },
      },
      required: ['name'],
    },
  }
  const html = renderFields(schemas, { $ref: '#/components/schemas/Tree' })
  assert.match(html, /<code>name<\/code> <span class="type">string<\/span> <span class="required">required<\/span>/)
  assert.match(html, /<p>A &lt;b&gt;\.<\/p>\s*<p class="limits">1 to 9 characters\.<\/p>/)
  assert.match(html, /<code>children<\/code> <span class="type">array of object<\/span>/)
  assert.match(html, /string or null<\/span>.*One of <code>a<\/code>, <code>b<\/code>\. Default <code>a<\/code>\./s)
  assert.deepEqual(exampleOf(schemas, { $ref: '#/components/schemas/Tree' }, true), { name: '…' })
})

test('writes a request as curl, TypeScript and Python, escaped for the shell and for HTML', () => {
  const secret = { header: 'authorization', variable: 'HULAKI_TOKEN', prefix: 'Bearer ' }
  const html = renderSnippets({ method: 'PATCH', url: 'http://x/y', secret, body: { a: "it's <b>", b: null, c: true } })
  const text = html.replaceAll(/<\/?span[^>]*>/g, '')
  assert.deepEqual(
    Array.from(text.matchAll(/data-tab="([^"]+)"/g), ([, name]) => name),
    ['curl', 'TypeScript', 'Python'],
  )
  assert.ok(
    text.includes('curl -s -X PATCH &#39;http://x/y&#39; \\\n  -H &quot;authorization: Bearer $HULAKI_TOKEN&quot;'),
  )
  assert.ok(text.includes('it&#39;\\&#39;&#39;s &lt;b&gt;'))
  assert.ok(
    text.includes(
      'json.dumps({&quot;a&quot;: &quot;it&#39;s &lt;b&gt;&quot;, &quot;b&quot;: None, &quot;c&quot;: True})',
    ),
  )
  assert.ok(text.includes('method: &#39;PATCH&#39;'))
  const plain = renderSnippets({ method: 'GET', url: 'http://x/y', secret: null, body: undefined })
  assert.match(
    plain.replaceAll(/<\/?span[^>]*>/g, ''),
    /curl -s &#39;http:\/\/x\/y&#39;<.*await fetch\(&#39;http:\/\/x\/y&#39;\)/s,
  )
})
