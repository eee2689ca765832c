// Every SMPP setting has the same default in API, command line and manual, and a third-party program has seen it on the wire.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { z } from 'zod'
import { findCommand } from '../../../src/cli/commands.ts'
import { DEFAULT_SMPP_SETTINGS } from '../../../src/domain/carriers/smpp/smpp-settings.ts'
import { newSmppCarrier } from '../../../src/manage/carriers/carrier-settings.ts'
import { CASES } from '../../delivery/carrier-settings.ts'
import { REFERENCE_PAGES } from '../../harness/described-reference.ts'

const root = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

/** Settings of the service, not of the wire: only the reference of the management API has them. */
const OURS = 'name enabled segmentsPerSecond resendUnknown breakAfterUnanswered breakAfterRefused'.split(' ')

const { properties = {}, required = [] } = z.toJSONSchema(newSmppCarrier, { io: 'input', unrepresentable: 'any' })
/** Settings in `smpp`. */
const SELDOM = Object.entries(DEFAULT_SMPP_SETTINGS).filter(
  ([name]) => name in newSmppCarrier.shape.smpp.unwrap().shape,
)
/** Defaults by the name in the manual, such as `smpp.receipts`; undefined for required settings. */
const SETTINGS = new Map<string, unknown>([
  ...Object.entries(properties).flatMap(([name, schema]) => {
    if (name === 'kind' || name === 'smpp' || typeof schema === 'boolean') return []
    return [[name, required.includes(name) ? undefined : schema.default] as const]
  }),
  ...SELDOM.map(([name, usual]) => [`smpp.${name}`, usual] as const),
])

/** The first two columns of every table row of a manual. */
function manual(path: string): Map<string, string> {
  const rows = root(path).matchAll(/^\| ((?:`[\w.]+`(?:, )?)+) \| ([^|]*?) \|/gm)
  return new Map(
    [...rows].flatMap(([, names = '', usual = '']) =>
      [...names.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => [name, usual] as const),
    ),
  )
}

/** The text of a default, if it is a plain value. */
function spelled(value: unknown): string | null {
  if (value === '') return 'empty'
  if (value === undefined) return 'needed'
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : null
}

test('the manual has every setting with its default', () => {
  const wire = manual('docs/reference/carriers.md')
  const own = manual(REFERENCE_PAGES.reference)
  for (const [name, usual] of SETTINGS) {
    const row = (OURS.includes(name) ? own : wire).get(name)
    assert(row, `docs has nothing of ${name}`)
    const expected = spelled(usual)
    for (const it of [row, own.get(name) ?? row]) {
      if (expected !== null) assert.equal(it.replaceAll('`', '').replace('required', 'needed'), expected, name)
    }
  }
  const unknown = [...wire.keys()].filter((name) => !SETTINGS.has(name))
  assert.deepEqual(unknown, [], 'the manual has settings that are none')
})

test('the command line has every setting with its default', () => {
  const { options: added = {} } = findCommand(['carrier', 'add']) ?? {}
  const options = new Map(Object.values(added).map((option) => [option.at, option]))
  for (const [name, usual] of SETTINGS) {
    const option = options.get(name)
    assert(option, `the command line has no ${name}`)
    if (usual === undefined) continue
    assert(option.usual, `${name} does not tell what holds without it`)
    const expected = typeof usual === 'boolean' ? (usual ? 'yes' : 'no') : spelled(usual)
    if (expected !== null) assert.equal(option.usual, expected, name)
  }
})

test('the management API describes the default of every setting', () => {
  const { properties: group = {} } = z.toJSONSchema(newSmppCarrier.shape.smpp.unwrap(), { unrepresentable: 'any' })
  for (const [name, usual] of SELDOM) {
    const schema = group[name] as { description?: string } | undefined
    assert(schema?.description?.includes(`\`${JSON.stringify(usual)}\``), name)
  }
})

/** The evidence of a setting: the title prefix of a test of that file, or its expectation; otherwise a case of carrier-settings.ts. */
const LINK = 'test/delivery/foreign-link.long.test.ts'
const TLS = 'test/delivery/foreign-tls.long.test.ts'
const RECEIPTS = 'test/delivery/foreign-receipts.long.test.ts'
const BINDS = 'test/delivery/foreign-settings.long.test.ts'
const SHOWN: Record<string, [file: string, words: string]> = {
  host: [LINK, 'otherHosts: '],
  port: [LINK, 'otherHosts: '],
  'smpp.otherHosts': [LINK, 'otherHosts: '],
  tls: [TLS, 'tlsCa, tlsCertificate and tlsServerName: '],
  'smpp.tlsServerName': [TLS, 'tlsServerName: '],
  'smpp.tlsCa': [TLS, 'tlsCa: '],
  'smpp.tlsCertificate': [TLS, 'tlsCertificate: '],
  tlsKey: [TLS, 'tlsCertificate: '],
  systemId: ['test/delivery/foreign-smsc.test.ts', "system_id: 'hulaki'"],
  password: ['test/delivery/foreign-smsc.test.ts', "password: 'secret'"],
  systemType: [BINDS, "system_type: 'VMA'"],
  'smpp.addressTon': [BINDS, 'addr_ton: 1'],
  'smpp.addressNpi': [BINDS, 'addr_npi: 1'],
  'smpp.addressRange': [BINDS, "address_range: '^9779'"],
  bindMode: [RECEIPTS, 'receivers: '],
  binds: [LINK, 'binds: '],
  'smpp.receivers': [RECEIPTS, 'receivers: '],
  window: [LINK, 'answerSeconds: '],
  answerSeconds: [LINK, 'answerSeconds: '],
  'smpp.connectSeconds': [LINK, 'connectSeconds: '],
  'smpp.bindSeconds': [LINK, 'bindSeconds: '],
  'smpp.enquireSeconds': [LINK, 'enquireSeconds: '],
  'smpp.enquireAnswerSeconds': [LINK, 'enquireAnswerSeconds'],
  'smpp.receipts': [RECEIPTS, 'receipts: '],
  idFormat: [RECEIPTS, 'idFormat: '],
  receiptsByText: [RECEIPTS, 'receiptsByText: '],
  statusOverrides: [RECEIPTS, 'statusOverrides: '],
}

const titlesOf = (file: string) =>
  [...root(file).matchAll(/^ *test\(['`](.*)['`], \{/gm)].map(([, title = '']) => title)

test('a third-party program has seen every setting of the wire', () => {
  const names = [...SETTINGS.keys()].filter((name) => !OURS.includes(name))
  for (const name of names) {
    const [file, words] = SHOWN[name] ?? []
    if (file && words) {
      const isShown = words.endsWith(' ')
        ? titlesOf(file).some((it) => it.startsWith(words))
        : root(file).includes(words)
      assert(isShown, `${file} has no '${words}' for ${name}`)
      continue
    }
    // Net::SMPP reads the table in foreign-settings.long.test.ts: a case that sets it beside the defaults.
    const own = name.replace('smpp.', '')
    const isIn = CASES.some(({ carrier = {}, smpp = {} }) => own in (name === own ? carrier : smpp))
    assert(isIn, `${name} is shown nowhere`)
  }
  assert.deepEqual(
    Object.keys(SHOWN).filter((name) => !SETTINGS.has(name)),
    [],
    'shown, but no settings',
  )
})
