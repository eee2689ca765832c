// The documentation pages as served: rendering, escaping, links, address and policy, without a browser.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { highlight } from '../../src/docs/highlight.ts'
import { renderMarkdown } from '../../src/docs/markdown.ts'
import { readPages } from '../../src/docs/pages.ts'
import { serveDocs } from '../../src/docs/serve.ts'
import { REFUSALS } from '../../src/domain/refusals.ts'
import { escapeHtml } from '../../src/http/escape.ts'
import { ManualClock } from '../../src/runtime/clock.ts'
import { Ids } from '../../src/runtime/ids.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { apiDocument, emptyServer, managementDocument } from '../harness/mounted-routes.ts'
import { allDocuments, blocksOf } from './blocks.ts'

const pages = readPages()
const html = (source: string) => renderMarkdown(source, (href) => (href === 'gone.md' ? null : href)).html.trim()

function serving(publicUrl: URL | null = null) {
  const app = emptyServer({ ids: new Ids(new ManualClock(new Date(0)), systemRandom) })
  const documents = [
    { title: 'SMS and OTP API', path: '/sms.json', read: apiDocument },
    { title: 'Management API', path: '/manage.json', read: managementDocument },
  ]
  for (const { path, read } of documents) app.get(path, read)
  serveDocs(app, { documents, publicUrl })
  return app
}

test('renders headings with anchors, nested lists, tables, code, links and bold text', () => {
  assert.equal(
    html('## 4.4 GET /sms/messages/{id}'),
    '<h2 id="44-get-smsmessagesid"><a class="anchor" href="#44-get-smsmessagesid">4.4 GET /sms/messages/{id}</a></h2>',
  )
  assert.equal(
    html('one\ntwo **bold** and *soft* `co*d*e`\n\nthree'),
    '<p>one\ntwo <strong>bold</strong> and <em>soft</em> <code>co*d*e</code></p>\n<p>three</p>',
  )
  assert.equal(html('- a\n  b\n- c\n  1. d\n'), '<ul>\n<li>a\nb</li>\n<li>c<ol>\n<li>d</li>\n</ol>\n</li>\n</ul>')
  assert.equal(
    html('1. a\n\n   ```sh\n   x\n     y\n   ```\n2. b'),
    '<ol>\n<li><p>a</p>\n<pre tabindex="0" data-language="sh"><code><span class="word">x</span>\n  <span class="word">y</span></code></pre>\n</li>\n<li><p>b</p>\n</li>\n</ol>',
  )
  assert.equal(
    html('[a](b.md#c) [`d`](e.md) [f](gone.md)'),
    '<p><a href="b.md#c">a</a> <a href="e.md"><code>d</code></a> f</p>',
  )
  assert.match(
    html('| a | |\n|---|---|\n| `x\\|y` | 2 |'),
    /<thead><tr><th scope="col">a<\/th><td><\/td><\/tr><\/thead><tbody>\n<tr><td><code>x\|y<\/code><\/td><td>2<\/td><\/tr>/,
  )
  assert.doesNotMatch(html('| | |\n|---|---|\n| 1 | 2 |'), /<thead>/)
  assert.equal(html('<!-- not run: no -->\n2 * 3 * 4, a_b_c, 5 \\* 6'), '<p>2 * 3 * 4, a_b_c, 5 * 6</p>')
})

test('escapes the source: no text becomes an element, an attribute or a script', () => {
  const nasty = '<img src=x onerror=alert(1)> & "quotes" \'too\''
  const whole = `# ${nasty}\n\n${nasty} **${nasty}** [${nasty}](x"onclick="y) \`${nasty}\`\n\n| ${nasty} |\n|---|\n| ${nasty} |\n\n- ${nasty}\n\n\`\`\`sh\n${nasty}\n\`\`\``
  assert.doesNotMatch(html(whole), /<img|<script|"onclick/)
  assert.equal(
    html('```sh\n</code><script>x</script>\n```'),
    '<pre tabindex="0" data-language="sh"><code>&lt;/code&gt;&lt;script&gt;x&lt;/script&gt;</code></pre>',
  )
})

test('colours shell, JSON, TypeScript and Python, and changes no character of a listing', () => {
  assert.equal(
    highlight(`A=1 x\ncurl -s "$URL" \\\n  -d '{}' # a <b>`, 'sh'),
    'A=1 x\n<span class="word">curl</span> <span class="flag">-s</span> <span class="text">&quot;$URL&quot;</span> \\\n  <span class="flag">-d</span> <span class="text">&#39;{}&#39;</span> <span class="note"># a &lt;b&gt;</span>',
  )
  assert.equal(
    highlight('{"a": ["b", 1.5, true]}', 'json'),
    '{<span class="word">&quot;a&quot;</span>: [<span class="text">&quot;b&quot;</span>, <span class="flag">1.5</span>, <span class="flag">true</span>]}',
  )
  assert.equal(
    highlight("const a = 'x' // if", 'ts'),
    '<span class="word">const</span> a = <span class="text">&#39;x&#39;</span> <span class="note">// if</span>',
  )
  assert.equal(
    highlight('def f(): return f"{1}" # no', 'python'),
    '<span class="word">def</span> f(): <span class="word">return</span> <span class="text">f&quot;{1}&quot;</span> <span class="note"># no</span>',
  )
  for (const { language, text } of allDocuments().flatMap(blocksOf))
    assert.equal(highlight(text, language).replaceAll(/<\/?span[^>]*>/g, ''), escapeHtml(text))
})

test('turns the sections between two comments into tabs with their names, all visible without scripts', () => {
  const source = '<!-- tabs -->\n\n## curl\n\none\n\n### deeper\n\n## A & B\n\ntwo\n\n<!-- /tabs -->\n\n## After\n'
  const made = html(source).replaceAll(/<a[^>]*>|<\/a>/g, '')
  assert.equal(
    made,
    '<div class="tabs">\n<section data-tab="curl">\n<h2 id="curl">curl</h2>\n<p>one</p>\n<h3 id="deeper">deeper</h3>\n</section>\n<section data-tab="A &amp; B">\n<h2 id="a--b">A &amp; B</h2>\n<p>two</p>\n</section>\n</div>\n<h2 id="after">After</h2>',
  )
  const quickstart = pages.find(({ name }) => name === 'quickstart')?.html ?? ''
  assert.deepEqual(
    Array.from(quickstart.matchAll(/data-tab="([^"]+)"/g), ([, name]) => name),
    ['curl', 'TypeScript', 'Python', 'PHP'],
  )
  assert.doesNotMatch(quickstart, /hidden|role="tab/)
})

test('sends pages and files compressed, and caches files forever', async () => {
  const app = serving()
  const { body } = await app.inject('/docs')
  const files = Array.from(body.matchAll(/"(\/docs\/assets\/[^"]+)"/g), ([, url = '']) => url)
  assert.equal(files.length, 2)
  for (const url of ['/docs', '/docs/guides/quickstart', ...files])
    for (const [accepted, encoding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['identity', undefined],
    ] as const) {
      const { headers, rawPayload } = await app.inject({ url, headers: { 'accept-encoding': accepted } })
      assert.equal(headers['content-encoding'], encoding, url)
      assert.match(String(headers.vary), /accept-encoding/)
      const plain =
        encoding === 'br' ? brotliDecompressSync(rawPayload) : encoding ? gunzipSync(rawPayload) : rawPayload
      assert.equal(plain.toString(), (await app.inject(url)).body)
      const cached = files.includes(url) ? 'public, max-age=31536000, immutable' : 'no-store'
      assert.equal(headers['cache-control'], cached)
    }
})

test('has the logo as icon on every page', async () => {
  const app = serving()
  for (const url of ['/docs', '/docs/guides/quickstart', '/docs/reference', '/docs/search', '/docs/guides/none'])
    assert.match((await app.inject(url)).body, /<link rel="icon" type="image\/svg\+xml" href="data:image\/svg/, url)
})

test('has no link to a missing page or anchor', async () => {
  const anchors = new Map(
    pages.map(({ url, html }) => [url, new Set(Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id]) => id))]),
  )
  const outside = ['/docs', '/docs/reference', '/console', '/console/phone', '/docs/assets']
  const dead = pages.flatMap(({ file, url, html }) =>
    Array.from(html.matchAll(/ href="([^"]+)"/g), ([, href = '']) => href)
      .filter((href) => !/^https?:/.test(href))
      .filter((href) => {
        const [path = '', anchor] = href.split('#')
        const known = anchors.get(path === '' ? url : path)
        return known ? anchor !== undefined && !known.has(anchor) : !outside.includes(path)
      })
      .map((href) => `${file}: ${href}`),
  )
  assert.deepEqual(dead, [])
})

test('has no relative link to a missing file', () => {
  const sources = [...allDocuments(), 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']
  const dead = sources.flatMap((file) =>
    Array.from(readFileSync(file, 'utf8').matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g), ([, href = '']) => href)
      .filter((href) => !/^(https?:|mailto:|\/)/.test(href))
      .filter((href) => !existsSync(join(dirname(file), href)))
      .map((href) => `${file}: ${href}`),
  )
  assert.deepEqual(dead, [])
})

/** Customers read these pages, which need no decision and section numbers. Generated pages of the reference are excluded. */
test('cites no decision and no section by number in guides and reference', () => {
  const generated = ['docs/reference/management.md', 'docs/reference/command-line.md']
  const cited = allDocuments()
    .filter((file) => /^docs\/(guides|reference)\//.test(file) && !generated.includes(file))
    .flatMap((file) => {
      const prose = readFileSync(file, 'utf8').replaceAll(/```.*?```/gs, '')
      return Array.from(prose.matchAll(/\u00a7 ?\d|(?<![\w\\%#])D[1-9]\d?\b/g), ([it]) => `${file}: ${it}`)
    })
  assert.deepEqual(cited, [])
})

test('lists every decision once at the top of the decisions, under the subject of its section', () => {
  const [index = '', ...sections] = readFileSync('docs/design/decisions.md', 'utf8').split(/^## /m)
  const listed = Array.from(index.matchAll(/^\| \[(\w+)\]\(#\w+\) \| .+ \| (.+) \|$/gm), ([, subject, links = '']) => ({
    subject,
    decisions: Array.from(links.matchAll(/\[(D\d+)\]\(#d/g), ([, decision]) => decision),
  }))
  const written = sections.map((section) => ({
    subject: /^\w+/.exec(section)?.[0],
    decisions: Array.from(section.matchAll(/^### (D\d+) /gm), ([, decision]) => decision),
  }))
  assert.deepEqual(listed, written)
})

test('lists every guide on the index with title and summary, in the configured order, then by name', async () => {
  const { body } = await serving().inject('/docs')
  for (const { url, title } of pages)
    assert.ok(body.includes(`<a href="${url}"><strong>${title.replaceAll("'", '&#39;')}</strong><span>`), url)
  const guides = pages.filter(({ part }) => part === 'guides')
  assert.equal(guides[0]?.name, 'quickstart')
  assert.ok(guides.every(({ summary }) => summary.length > 20))
  assert.ok(guides.length >= 8)
})

test('sends a policy without inline or external content, and a helpful 404', async () => {
  const app = serving()
  for (const [url, status] of [
    ['/docs', 200],
    ['/docs/', 200],
    ['/docs/guides/quickstart', 200],
    ['/docs/reference/api-contract', 200],
    ['/docs/operations/settings', 200],
    ['/docs/design/decisions', 200],
    ['/docs/search?q=x', 200],
    ['/docs/guides/none', 404],
    ['/docs/guides/..%2f..%2fpackage', 404],
  ] as const) {
    const { statusCode, headers, body } = await app.inject(url)
    assert.equal(statusCode, status, url)
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    )
    assert.doesNotMatch(body, /<style|\sstyle=|<script(?![^>]*\ssrc="\/docs)|\son\w+=/)
    assert.equal(headers['cache-control'], 'no-store')
    const loaded = Array.from(
      body.matchAll(/<(?:link rel="stylesheet" href|script src)="([^"]+)"/g),
      ([, it = '']) => it,
    )
    assert.equal(loaded.length, 2)
    for (const asset of loaded) assert.equal((await app.inject(asset)).statusCode, 200, asset)
  }
})

test('prints the address of the request or the public address in commands, and no invalid Host header', async () => {
  const shown = async (host: string, publicUrl: URL | null = null) => {
    const { body } = await serving(publicUrl).inject({ url: '/docs/guides/quickstart', headers: { host } })
    return /curl -s (\S+)\/api\/sms\/v1\/sms\/send/.exec(body.replaceAll(/<\/?span[^>]*>/g, ''))?.[1]
  }
  assert.equal(await shown('sms.example.com:8443'), 'http://sms.example.com:8443')
  assert.equal(await shown('[::1]:8080'), 'http://[::1]:8080')
  assert.equal(await shown('inside:8080', new URL('https://sms.example.com')), 'https://sms.example.com')
  for (const host of ['$(reboot)', 'a;b', '"><script>', 'a b', `${'a'.repeat(300)}.np`])
    assert.equal(await shown(host), 'http://127.0.0.1:8080', host)
})

test('uses the theme of the console', async () => {
  const { body } = await serving().inject({ url: '/docs', headers: { cookie: 'x=1; hulaki-theme=dark' } })
  assert.match(body, /<html lang="en" data-theme="dark">/)
  const odd = await serving().inject({ url: '/docs', headers: { cookie: 'hulaki-theme="><script>' } })
  assert.match(odd.body, /<html lang="en">/)
})

test('explains every error code and its remedy in the error guide (§7)', () => {
  const source = readFileSync('docs/guides/errors.md', 'utf8')
  for (const [code, { status }] of Object.entries(REFUSALS)) {
    const [, statuses, happened, todo] =
      new RegExp(`^\\| \`${code}\` \\| ([^|]+) \\| ([^|]+) \\| (.+) \\|$`, 'm').exec(source) ?? []
    assert.ok(statuses?.split(', ').includes(String(status)), `${code} with its status`)
    assert.ok((happened?.length ?? 0) > 10 && (todo?.length ?? 0) > 10, code)
  }
})
