// docs/guides/phone-login.md matches the app: every listing is an exact excerpt of its file.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CHECKOUT } from '../harness/process.ts'
import { listingsOf } from './listings.ts'

const GUIDE = 'docs/guides/phone-login.md'
const EXAMPLE = 'examples/phone-login'

function read(file: string): string {
  return readFileSync(join(CHECKOUT, file), 'utf8')
}

test('every listing of the guide is an excerpt of the file that it names', () => {
  const listings = listingsOf(GUIDE).filter(({ language }) => language === 'js')
  assert.ok(listings.length >= 7)
  for (const { text, above } of listings) {
    const file = /<!-- not run: an excerpt of (\S+) -->\n$/.exec(above)?.[1]
    assert.ok(file, `it says of which file it is:\n${text}`)
    // The file may indent the excerpt.
    const isThere = ['', '  ', '    ', '      '].some((indent) =>
      read(file).includes(text.replaceAll(/^(?=.)/gm, indent)),
    )
    assert.ok(isThere, `${file} has this no more:\n${text}`)
  }
})

test('guide and README have the same commands, and the guide has the sentences of the app', () => {
  const [ofGuide] = listingsOf(GUIDE)
  const [ofReadme] = listingsOf(`${EXAMPLE}/README.md`)
  assert.equal(ofGuide?.text, ofReadme?.text)
  const sentences = read(`${EXAMPLE}/src/sentences.js`)
  for (const [, sentence = ''] of read(GUIDE).matchAll(/^\| [^|]+ \| ([A-Z][^|]+)\. \|$/gm))
    if (!/\d|What they/.test(sentence)) assert.ok(sentences.includes(sentence), sentence)
})

test('the example installs the packed client of the checkout, and the Fastify version of the service', () => {
  const { dependencies } = JSON.parse(read(`${EXAMPLE}/package.json`))
  const { version } = JSON.parse(read('sdk/package.json'))
  assert.equal(dependencies['@hulaki/client'], `file:hulaki-client-${version}.tgz`)
  assert.equal(dependencies.fastify, JSON.parse(read('package.json')).dependencies.fastify)
})

test('.env.example has every setting that the example reads', () => {
  const named = [...read(`${EXAMPLE}/src/settings.js`).matchAll(/env\.([A-Z_]+)/g)].map(([, name]) => name)
  const shown = [...read(`${EXAMPLE}/.env.example`).matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name)
  assert.deepEqual([...new Set(named)].sort(), shown.sort())
})
