// The search over all pages and endpoints: results, order, and cost per query.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { type DocsPage, readPages } from '../../src/docs/pages.ts'
import { boundIndex, entriesOfPages, type SearchEntry } from '../../src/docs/search.ts'
import { serveDocs } from '../../src/docs/serve.ts'
import { ManualClock } from '../../src/runtime/clock.ts'
import { Ids } from '../../src/runtime/ids.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { apiDocument, emptyServer, managementDocument } from '../harness/mounted-routes.ts'

let app: FastifyInstance

before(async () => {
  app = emptyServer({ ids: new Ids(new ManualClock(new Date(0)), systemRandom) })
  const documents = { '/sms.json': await apiDocument(), '/manage.json': await managementDocument() }
  for (const [path, document] of Object.entries(documents)) app.get(path, async () => document)
  const named = Object.keys(documents).map((path) => ({ title: path, path }))
  serveDocs(app, { documents: named, publicUrl: null, searchesPerSecond: 100_000 })
})

async function found(q: string): Promise<{ url: string; title: string; excerpt: string }[]> {
  return (await app.inject({ url: '/docs/search.json', query: { q } })).json().items
}

test('finds a guide, an operations page and an endpoint by prefixes of their words in any case', async () => {
  const urls = async (q: string) => (await found(q)).map(({ url }) => url)
  assert.ok((await urls('deduplicate')).some((url) => url.startsWith('/docs/guides/webhooks')))
  assert.ok((await urls('Move off bundled')).some((url) => url.startsWith('/docs/operations/backup#move-off')))
  assert.ok((await urls('rotate-key')).includes('/docs/reference/management-api/clients#POST/clients/{id}/rotate-key'))
  assert.ok(
    (await urls('VERIF code')).includes('/docs/reference/sms-and-otp-api/one-time-passwords#POST/v1/sms/otp/verify'),
  )
  assert.equal((await urls('testing'))[0], '/docs/guides/testing')
  assert.deepEqual(await urls('xylophone'), [])
})

test('finds every endpoint of both documents by method and path', async () => {
  for (const { servers, paths } of [await apiDocument(), await managementDocument()] as unknown as {
    servers: [{ url: string }]
    paths: Record<string, object>
  }[]) {
    for (const [path, calls] of Object.entries(paths)) {
      const whole = `${new URL(servers[0].url).pathname}${path}`
      const excerpts = (await found(whole)).map(({ excerpt }) => excerpt)
      for (const method of Object.keys(calls))
        assert.ok(
          excerpts.length === 20 ||
            excerpts.some((it) => it.includes(`${method.toUpperCase()} ${whole}`.slice(0, 100))),
          `${method} ${whole}`,
        )
    }
  }
})

test('works without scripts, and escapes the query', async () => {
  const { body } = await app.inject({ url: '/docs/search', query: { q: '"><script>alert(1)</script> code' } })
  assert.doesNotMatch(body, /<script>alert/)
  assert.match(body, /value="&quot;&gt;&lt;script&gt;/)
  const good = await app.inject({ url: '/docs/search', query: { q: 'idempotency' } })
  assert.match(good.body, /<ol class="results">\n<li><a href="\/docs\//)
})

test('marks the beginnings of words that match, escaped, in the page and in JSON', async () => {
  const { body } = await app.inject({ url: '/docs/search', query: { q: 'ROTATE key' } })
  assert.match(body, /<mark>Rotate<\/mark> the API <mark>key<\/mark>/)
  assert.doesNotMatch(body, /mon<mark>key/)
  const { items } = (await app.inject({ url: '/docs/search.json', query: { q: 'rot rotate key' } })).json()
  const [first] = items
  for (const [text, hits] of [
    [first.title, first.titleHits],
    [first.excerpt, first.excerptHits],
  ]) {
    assert.ok(hits.length > 0)
    let last = 0
    for (const [start, end] of hits) {
      assert.ok(start >= last && end > start)
      assert.match(text.slice(start, end), /^(rot|rotate|key)$/i)
      last = end
    }
  }
  const nasty = await app.inject({ url: '/docs/search', query: { q: '<b' } })
  assert.doesNotMatch(nasty.body, /<b>/)
})

test('bounds the index, and cuts no page of today', () => {
  const entries = entriesOfPages(readPages())
  assert.ok(entries.every(({ words }) => words.length < 40_000))
  const long = { ...readPages()[0], sections: [{ level: 1, id: 'x', text: 'X', words: 'w '.repeat(50_000) }] }
  assert.equal(entriesOfPages([long as DocsPage])[0]?.words.length, 40_000)
  assert.equal(boundIndex(Array.from({ length: 9000 }, () => entries[0] as SearchEntry)).length, 5000)
})

test('limits the length of a query and the number of results', async () => {
  assert.ok((await found('the')).length <= 20)
  assert.equal((await found('')).length, 0)
  assert.equal((await found(' /// ... ')).length, 0)
  const long = await app.inject({ url: '/docs/search', query: { q: `code ${'x'.repeat(5000)}` } })
  assert.ok(long.statusCode === 200 && !long.body.includes('x'.repeat(200)))
  assert.equal((await app.inject('/docs/search?q=a&q=b')).statusCode, 200)
})

test('limits searches per second, and answers 429 in the page and in JSON', async () => {
  const busy = emptyServer({ ids: new Ids(new ManualClock(new Date(0)), systemRandom) })
  serveDocs(busy, { documents: [], publicUrl: null, searchesPerSecond: 0 })
  const json = await busy.inject('/docs/search.json?q=code')
  assert.deepEqual(
    [json.statusCode, json.json().code, json.headers['retry-after'], json.headers['content-type']],
    [429, 'rate_limited', '1', 'application/json; charset=utf-8'],
  )
  const page = await busy.inject('/docs/search?q=code')
  assert.equal(page.statusCode, 429)
  assert.equal(page.headers['retry-after'], '1')
  assert.match(page.body, /try again in a second[\s\S]*<nav id="contents"/)
})

test('retries an index that failed because a document was unavailable', async () => {
  const shaky = emptyServer({ ids: new Ids(new ManualClock(new Date(0)), systemRandom) })
  let isWell = false
  shaky.get('/sms.json', async () => (isWell ? apiDocument() : 'no document'))
  serveDocs(shaky, { documents: [{ title: 'SMS', path: '/sms.json' }], publicUrl: null })
  assert.equal((await shaky.inject('/docs/search.json?q=code')).statusCode, 500)
  isWell = true
  assert.equal((await shaky.inject('/docs/search.json?q=code')).statusCode, 200)
})
