// How the console is served: its policy, its size, and its response if the bundle fails. No browser is needed.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Bundle, bundleConsole } from '../../src/console/bundle.ts'
import { serveConsole } from '../../src/console/serve.ts'
import { ManualClock } from '../../src/runtime/clock.ts'
import { Ids } from '../../src/runtime/ids.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { emptyServer } from '../harness/mounted-routes.ts'

const FIRST_LOAD_BYTES = 60_000
const IMPORT = /import\{([^}]*)\}from"\.\/([^"]+)"|import\("\.\/([^"]+)"\)/g
const ports = { ids: new Ids(new ManualClock(new Date(0)), systemRandom) }
let bundle: Bundle

before(async () => {
  bundle = await bundleConsole()
})

function serving(bundled: () => Promise<Bundle>) {
  const app = emptyServer(ports)
  serveConsole(app, bundled)
  return app
}

test('every page and file has the policy: no other hosts, no inline script or style, no text as script', async () => {
  const app = serving(async () => bundle)
  for (const url of [
    '/console',
    '/console/w/x/messages',
    `/console/assets/${bundle.script}`,
    '/console/assets/none.js',
  ]) {
    const { headers } = await app.inject(url)
    const policy = String(headers['content-security-policy']).split('; ')
    assert.deepEqual(policy.toSorted(), [
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "font-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "require-trusted-types-for 'script'",
      "script-src 'self'",
      "style-src 'self'",
    ])
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['x-content-type-options'], 'nosniff')
  }
})

test('a page has no inline script or style, and helps where scripts are off', async () => {
  const { body } = await serving(async () => bundle).inject('/console')
  assert.doesNotMatch(body, /<style|style=|<script(?![^>]*\ssrc=)|\son\w+=/)
  assert.match(body, /<noscript>.*needs JavaScript.*<\/noscript>/)
  assert.match(body, /<script nomodule/)
})

test('the page has the theme and language of the cookies before anything is loaded', async () => {
  const app = serving(async () => bundle)
  const chosen = await app.inject({ url: '/console', headers: { cookie: 'hulaki-theme=dark; hulaki-language=ne' } })
  assert.match(chosen.body, /<html lang="ne" data-theme="dark">/)
  const accepted = await app.inject({ url: '/console', headers: { 'accept-language': 'de, ne;q=0.8, en;q=0.5' } })
  assert.match(accepted.body, /<html lang="ne">/)
  const odd = await app.inject({ url: '/console', headers: { cookie: 'hulaki-theme="><script>; hulaki-language=xx' } })
  assert.match(odd.body, /<html lang="en">/)
})

test('files are cached forever and compressed; a missing file is 404', async () => {
  const app = serving(async () => bundle)
  const url = `/console/assets/${bundle.script}`
  const answers = await Promise.all(
    ['br, gzip', 'gzip', 'identity'].map((it) => app.inject({ url, headers: { 'accept-encoding': it } })),
  )
  assert.deepEqual(
    answers.map(({ headers }) => headers['content-encoding']),
    ['br', 'gzip', undefined],
  )
  assert.ok(answers.every(({ headers }) => headers['cache-control'] === 'public, max-age=31536000, immutable'))
  assert.equal((await app.inject('/console/assets/part-GONE.js')).statusCode, 404)
})

test(`the first load is below ${FIRST_LOAD_BYTES / 1000} kB compressed: script, what it needs at once, words, styles`, () => {
  const first = [bundle.script, bundle.style, bundle.core, bundle.words.en ?? '']
  const bytes = first.reduce((sum, name) => sum + (bundle.assets.get(name)?.gzip.length ?? Number.NaN), 0)
  assert.ok(bytes < FIRST_LOAD_BYTES, `${bytes} bytes`)
})

test('every file imports only files and names that exist', () => {
  const texts = new Map(Array.from(bundle.assets, ([name, { plain }]) => [name, plain.toString()]))
  const imported = Array.from(texts.values(), (text) => [...text.matchAll(IMPORT)]).flat()
  assert.ok(imported.length > 50)
  for (const [statement, names = '', from = '', lazy] of imported) {
    const text = texts.get(from || (lazy ?? ''))
    assert.ok(text !== undefined, statement)
    const exported = Array.from(text.matchAll(/export\{([^}]*)\}/g), ([, list = '']) => list.split(',')).flat()
    const exports = exported.map((each) => each.split(' as ').at(-1))
    for (const name of names.split(',').filter((it) => it !== ''))
      assert.ok(exports.includes(name.split(' as ')[0]), statement)
  }
})

test('the same sources give the same file names in every process', async () => {
  const again = await bundleConsole()
  assert.deepEqual([...again.assets.keys()].toSorted(), [...bundle.assets.keys()].toSorted())
})

test("answers 503 in the reader's language where the bundle fails", async () => {
  const app = serving(() => Promise.reject(new Error('no bundler')))
  app.get('/api/sms/v1/anything', async () => 'as usual')
  const page = await app.inject({ url: '/console/now', headers: { 'accept-language': 'ne' } })
  assert.equal(page.statusCode, 503)
  assert.match(page.body, /कन्सोल देखाउन सकिएन/)
  assert.equal((await app.inject('/api/sms/v1/anything')).body, 'as usual')
})

test('has the logo as icon on every page, also where the bundle fails', async () => {
  for (const bundled of [async () => bundle, () => Promise.reject(new Error('no bundler'))])
    for (const url of ['/console', '/console/sign-in']) {
      const { body } = await serving(bundled).inject(url)
      assert.match(body, /<link rel="icon" type="image\/svg\+xml" href="data:image\/svg\+xml,%3Csvg/, url)
    }
})

test('/ redirects to the console', async () => {
  const { statusCode, headers } = await serving(async () => bundle).inject('/')
  assert.deepEqual([statusCode, headers.location], [302, '/console'])
})
