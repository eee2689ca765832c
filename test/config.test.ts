// The settings and their errors.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../src/boot/config.ts'
import { SETTINGS } from '../src/boot/environment.ts'

function configOf(env: Record<string, string>) {
  const read = readConfig(env)
  assert.ok('config' in read, JSON.stringify(read))
  return read.config
}

function faultsOf(env: Record<string, string>): string[] {
  const read = readConfig(env)
  return 'errors' in read ? read.errors : []
}

test('without settings the service runs with a bundled database on this machine only', () => {
  const { processes, ...config } = configOf({})
  assert.ok(processes >= 1)
  assert.deepEqual(config, {
    port: 8080,
    host: '127.0.0.1',
    databaseUrl: null,
    poolerUrl: null,
    dataDirectory: './data',
    roles: ['api', 'delivery', 'webhooks', 'upkeep', 'simulator'],
    drainSeconds: 0,
    operatorToken: null,
    keyringFile: null,
    demo: true,
    trustedProxies: [],
    publicUrl: null,
    oidc: null,
    mail: null,
    webhookAllowedNetworks: [],
    webhookCaFile: null,
    carrierAllowedNetworks: [],
    carrierCaFile: null,
    metrics: { token: null, port: null, host: '127.0.0.1' },
    tls: null,
    tracing: null,
    vendor: 'svc',
    logLevel: 'info',
    logFormat: 'auto',
    clock: 'system',
    simulator: { receiptDelayMs: 0, segmentsPerSecond: null },
    retention: { texts: 90, messages: 400, testMessages: 30, replies: 400, audit: 800 },
  })
})

test('an empty value means the default, and white space is trimmed', () => {
  assert.deepEqual(configOf({ PORT: '', HULAKI_ROLES: ' ', HULAKI_VENDOR: '' }), configOf({}))
  assert.equal(configOf({ PORT: ' 9000 ' }).port, 9000)
})

test('with DATABASE_URL there is no Demo and no simulator by default', () => {
  const DATABASE_URL = 'postgres://me@db.example.com/hulaki'
  const config = configOf({ DATABASE_URL })
  assert.deepEqual([config.demo, config.roles], [false, ['api', 'delivery', 'webhooks', 'upkeep']])
  assert.equal(config.drainSeconds, 5, 'time for a load balancer to notice a stop')
  const asked = configOf({ DATABASE_URL, HULAKI_DEMO: 'on', HULAKI_ROLES: 'simulator, api' })
  assert.deepEqual([asked.demo, asked.roles], [true, ['api', 'simulator']])
  assert.deepEqual(configOf({ DATABASE_URL, HULAKI_ROLES: 'all, simulator' }).roles, configOf({}).roles)
  assert.deepEqual(configOf({ DATABASE_URL, HULAKI_ROLES: 'all' }).roles, config.roles)
})

test('a manual clock requires one process', () => {
  assert.equal(configOf({ HULAKI_CLOCK: 'manual' }).processes, 1)
  assert.match(faultsOf({ HULAKI_CLOCK: 'manual', HULAKI_PROCESSES: '2' })[0] ?? '', /HULAKI_PROCESSES=1/)
})

const wrong: [setting: string, value: string][] = [
  ['PORT', '70000'],
  ['PORT', '80a'],
  ['PORT', '-1'],
  ['PORT', '1e3'],
  ['DATABASE_URL', 'mysql://db/hulaki'],
  ['HULAKI_POOLER_URL', 'postgres://pooler/hulaki'],
  ['DATABASE_URL', 'postgres://app:p#w/x@db/hulaki'],
  ['DATABASE_URL', 'postgres://app:1#2@db/hulaki'],
  ['DATABASE_URL', 'postgres://app:1/2@db/hulaki'],
  ['HULAKI_ROLES', 'api, cook'],
  ['HULAKI_PROCESSES', '0'],
  ['HULAKI_SIMULATOR_RECEIPT_DELAY_MS', '-1'],
  ['HULAKI_SIMULATOR_SEGMENTS_PER_SECOND', '0'],
  ['HULAKI_OPERATOR_TOKEN', 'too-short'],
  ['HULAKI_OPERATOR_TOKEN', '31-characters-are-one-too-few.-'],
  ['HULAKI_OPERATOR_TOKEN', 'with spaces in between it, but long enough'],
  ['HULAKI_KEYRING_FILE', '/no/such/keyring.json'],
  ['HULAKI_DEMO', 'yes'],
  ['HULAKI_TRUSTED_PROXIES', '10.0.0.0/8, proxy.example.com'],
  ['HULAKI_WEBHOOK_ALLOWED_NETWORKS', '10.0.0.0/99'],
  ['HULAKI_TLS_CERT_FILE', 'cert.pem'],
  ['HULAKI_TLS_KEY_FILE', 'key.pem'],
  ['HULAKI_VENDOR', 'My Company'],
  ['HULAKI_LOG_LEVEL', 'loud'],
  ['HULAKI_LOG_FORMAT', 'xml'],
  ['HULAKI_CLOCK', 'sun'],
  ['HULAKI_PROT', '9000'],
]
for (const [setting, value] of wrong) {
  test(`${setting}=${value} is reported in one sentence with its name`, () => {
    const errors = faultsOf({ [setting]: value })
    assert.equal(errors.length, 1)
    assert.ok(errors[0]?.includes(setting))
    assert.match(errors[0] ?? '', /^[A-Z].*\.$/)
  })
}

test('an invalid operator token is not repeated', () => {
  assert.ok(!faultsOf({ HULAKI_OPERATOR_TOKEN: 'hush-hush' }).join().includes('hush-hush'))
})

test('a URL that is not valid is not repeated: it may contain a password', () => {
  const urls = [
    'DATABASE_URL',
    'HULAKI_POOLER_URL',
    'HULAKI_PUBLIC_URL',
    'HULAKI_SMTP_URL',
    'HULAKI_OIDC_ISSUER',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  ]
  assert.deepEqual(
    SETTINGS.filter((name) => /_URL$|_ISSUER$|_ENDPOINT$/.test(name) && !urls.includes(name)),
    [],
  )
  for (const name of urls) {
    const errors = faultsOf({ [name]: 'ftp://user:hush-hush@host' })
    assert.ok(errors[0]?.startsWith(`${name} `), name)
    assert.ok(!errors.join().includes('hush-hush'), name)
  }
})

test('DATABASE_URL accepts a host, a socket folder and a percent-encoded password', () => {
  for (const DATABASE_URL of [
    'postgres://app:p%23w%2Fx%40y@[::1]:5432/hulaki',
    'postgresql://app:pw@/hulaki?host=/run/postgresql',
    'postgres://app@%2Frun%2Fpostgresql/hulaki',
    'postgres:///hulaki?user=app@example.com',
  ]) {
    assert.equal(configOf({ DATABASE_URL }).databaseUrl, DATABASE_URL)
  }
})

test('an invalid DATABASE_URL is not repeated', () => {
  assert.ok(!faultsOf({ DATABASE_URL: 'postgres://app:hush#hush@db/hulaki' }).join().includes('hush'))
})

const certificates = join(import.meta.dirname, 'webhooks', 'certificates')
const unusable: [cert: string, key: string, named: string[]][] = [
  ['no-such.pem', 'make.sh', ['HULAKI_TLS_CERT_FILE', 'HULAKI_TLS_KEY_FILE']],
  ['receiver.key.pem', 'receiver.key.pem', ['HULAKI_TLS_CERT_FILE']],
  ['receiver.cert.pem', 'receiver.cert.pem', ['HULAKI_TLS_KEY_FILE']],
  ['receiver.cert.pem', 'other-host.key.pem', ['HULAKI_TLS_KEY_FILE']],
]
for (const [cert, key, named] of unusable) {
  test(`rejects ${cert} with ${key} for HTTPS and names the wrong file`, () => {
    const files = { HULAKI_TLS_CERT_FILE: join(certificates, cert), HULAKI_TLS_KEY_FILE: join(certificates, key) }
    const errors = faultsOf(files)
    assert.equal(errors.length, named.length, errors.join())
    for (const [index, setting] of named.entries()) {
      assert.ok(errors[index]?.startsWith(setting), errors.join())
      assert.ok(errors[index]?.includes(setting.includes('CERT') ? cert : key), errors.join())
    }
  })
}

test('reports all errors at once', () => {
  assert.equal(faultsOf({ PORT: 'x', HULAKI_CLOCK: 'x', HULAKI_VENDOR: 'X', HULAKI_NOTHING: '1' }).length, 4)
})

test('.env.example has every setting once with its default', () => {
  const lines = readFileSync(new URL('../.env.example', import.meta.url), 'utf8').split('\n')
  const shown = lines.flatMap((line) => {
    const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [{ name, value }]
  })
  assert.deepEqual(shown.map((it) => it.name).toSorted(), SETTINGS.toSorted())
  assert.deepEqual(configOf(Object.fromEntries(shown.map((it) => [it.name, it.value]))), configOf({}))
})

test('DATABASE_URL has several hosts before the path, and rejects read-only servers', () => {
  const refused: [string, RegExp][] = [
    ['postgres://u:p@one,t#wo/db', /not a valid URL/],
    ['postgres://u@/db?host=/run/a,/run/b', /several hosts/],
    ['postgres://u:p@one/db?target_session_attrs=standby', /read-only server/],
    ['postgres://u:p@one/db?a=b&target_session_attrs=prefer-standby', /read-only server/],
  ]
  for (const [DATABASE_URL, sentence] of refused) {
    const errors = faultsOf({ DATABASE_URL })
    assert.equal(errors.length, 1, DATABASE_URL)
    assert.match(errors[0] ?? '', sentence)
    assert.doesNotMatch(errors[0] ?? '', /u:p/)
  }
  for (const hosts of ['one:5432,two:5433', '[::1]:5432,two', 'one,two,three'])
    assert.deepEqual(faultsOf({ DATABASE_URL: `postgres://u:p%2C@${hosts}/db?target_session_attrs=read-write` }), [])
  for (const wish of ['any', 'read-write', 'primary'])
    assert.deepEqual(faultsOf({ DATABASE_URL: `postgres://u:p%2C@one/db?target_session_attrs=${wish}` }), [])
})

test('D44: no text and no message is deleted while it is needed', () => {
  assert.deepEqual(faultsOf({ HULAKI_KEEP_TEXTS_DAYS: '6', HULAKI_KEEP_MESSAGES_DAYS: '34' }), [
    'HULAKI_KEEP_TEXTS_DAYS must be at least 7, or 0 for no limit.',
    'HULAKI_KEEP_MESSAGES_DAYS must be at least 35, or 0 for no limit.',
  ])
  assert.equal(configOf({ HULAKI_KEEP_TEXTS_DAYS: '0' }).retention.texts, 0)
})
