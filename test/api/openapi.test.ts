// The OpenAPI document and the reference: complete, correct, and readable without a key or the internet.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { OTP_COOLDOWN_SECONDS } from '../../src/domain/codes/otp.ts'
import { DEFAULT_REQUESTS_PER_SECOND, OTP_LIMITS } from '../../src/domain/messages/limits.ts'
import { REFUSALS } from '../../src/domain/refusals.ts'
import { MAX_SEGMENTS, MAX_TEXT_LENGTH } from '../../src/domain/text-encoding.ts'
import { inboundEvent, statusEvent } from '../../src/domain/webhooks/webhook-event.ts'
import { ANSWER_WITHIN_SECONDS, MAX_ATTEMPTS } from '../../src/domain/webhooks/webhook-schedule.ts'
import { BODY_LIMIT_BYTES } from '../../src/http/reply.ts'
import { call, ownService } from '../harness/service.ts'

const service = await ownService({ env: { HULAKI_VENDOR: 'acme' } })
const { body: document } = await call(`${service.url}/api/sms/v1/openapi.json`, { method: 'GET' })

/** The errors of each endpoint in §4, with the restrictions of §7.2. */
const DOOR = '401 unauthorized, 403 client_disabled, 403 ip_not_allowed, 429 rate_limited, 500 server_error'
const POST = `${DOOR}, 400 invalid_request, 403 workspace_pending, 403 workspace_suspended, 409 idempotency_conflict`
const SENDING = `${POST}, 400 invalid_number, 402 insufficient_balance, 403 forbidden, 403 type_not_allowed,
  403 prefix_not_allowed, 422 destination_not_supported, 429 daily_cap, 429 number_cap, 503 unavailable, 503 sms_disabled`
const PROMISED = {
  'POST /v1/sms/send': `${SENDING}, 400 invalid_variables, 403 template_required`,
  'POST /v1/sms/otp/send': `${SENDING}, 429 suspected_pumping`,
  'POST /v1/sms/otp/verify': POST,
  'GET /v1/sms/messages/{id}': `${DOOR}, 404 not_found`,
  'GET /v1/sms/balance': DOOR,
  'GET /v1/sms/coverage': DOOR,
  'GET /coverage': '500 server_error',
}
/** D6, D28: every endpoint can be overloaded, and every POST body can be too large. */
const BEYOND = ['503 unavailable', '413 invalid_request']

test('describes every endpoint of the contract in version 1.0.0, and no other (§4, §9)', () => {
  assert.equal(document.openapi, '3.1.0')
  assert.equal(document.info.version, '1.0.0')
  assert.deepEqual(
    operations()
      .map(([name]) => name)
      .sort(),
    Object.keys(PROMISED).sort(),
  )
})

test('has one server for all paths, which generators require (§4)', () => {
  assert.deepEqual(document.servers, [{ url: `${service.url}/api/sms` }])
  assert.doesNotMatch(JSON.stringify(document.paths), /"servers"/)
  for (const path of Object.keys(document.paths)) assert.match(path, /^\/(v1\/sms\/|coverage$)/)
})

test('includes the currency of the balance (§2.3)', () => {
  const { properties, required } = document.components.schemas.Balance
  assert.equal(properties.currency.type, 'string')
  assert.ok(required.includes('currency'))
})

test('states the limits that the service enforces (§8)', () => {
  const text = JSON.stringify(document)
  for (const limit of [
    `${DEFAULT_REQUESTS_PER_SECOND} requests per second`,
    `one OTP in ${OTP_COOLDOWN_SECONDS} seconds`,
    `${OTP_LIMITS.number.most} OTPs in ${OTP_LIMITS.number.seconds} seconds per number`,
    `${OTP_LIMITS.caller.most} requests in ${OTP_LIMITS.caller.seconds} seconds per calling address`,
    `${BODY_LIMIT_BYTES / 1024} KiB`,
    `${MAX_SEGMENTS} segments (${MAX_TEXT_LENGTH.GSM7} GSM-7 characters or ${MAX_TEXT_LENGTH.UCS2} UCS-2 code units)`,
    `within ${ANSWER_WITHIN_SECONDS} seconds`,
    `up to ${MAX_ATTEMPTS} attempts, after 10 s, 30 s, 2 min, 10 min, 30 min, 1 h, 3 h`,
  ])
    assert.ok(text.includes(limit), limit)
  // A literal number in a description would not change with the limit.
  const sources = globSync('src/api/**/*.ts').map((file) => [file, readFileSync(file, 'utf8')] as const)
  for (const [file, source] of sources)
    assert.doesNotMatch(
      source,
      /\b(918 GSM|402 UCS|64 KiB|max-age=\d|24 hours|\d+ requests|\d+ OTPs|\d+ segments|\d+ attempts)\b/,
      file,
    )
})

test('lists the error codes of each endpoint by HTTP status, each with a valid example (§7)', () => {
  for (const [name, operation] of operations()) {
    const listed = Object.entries(operation.responses as Record<string, DocumentedResponse>).flatMap(
      ([status, { content }]) =>
        status === '200'
          ? []
          : Object.values(content['application/json'].examples).map(({ value }) => `${status} ${value.code}`),
    )
    const promised = PROMISED[name as keyof typeof PROMISED].split(/,\s+/)
    assert.deepEqual(new Set(listed).difference(new Set(BEYOND)), new Set(promised).difference(new Set(BEYOND)), name)
  }
})

test('describes every error code of the service, except the codes of the management API (§7)', () => {
  const examples = operations()
    .flatMap(([, { responses }]) => mediaOf(responses))
    .flatMap(({ examples }) => Object.values(examples))
  const shown = new Set(examples.map(({ value }) => value.code))
  assert.deepEqual(
    Object.keys(REFUSALS).filter((code) => !shown.has(code)),
    ['sign_in_again', 'conflict', 'key_limit'],
  )
})

test('has examples that match their schemas, and no broken reference', () => {
  const media = [...mediaOf(document.paths), ...mediaOf(document.webhooks)]
  assert(media.length > 50)
  for (const { schema, examples } of media) {
    assert(Object.keys(examples).length > 0, `${JSON.stringify(schema)} has no example`)
    for (const { value } of Object.values(examples)) assert.equal(faultsOf(schema, value), '')
  }
  for (const [, pointer = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const target = pointer.split('/').reduce((at, step) => at?.[step], document)
    assert(target, pointer)
  }
})

test('requires the x-api-key header on every endpoint except the public coverage (§5.1)', () => {
  assert.deepEqual(document.security, [{ apiKey: [] }])
  const { type, in: place, name } = document.components.securitySchemes.apiKey
  assert.deepEqual({ type, place, name }, { type: 'apiKey', place: 'header', name: 'x-api-key' })
  const open = operations().filter(([, operation]) => operation.security?.length === 0)
  assert.deepEqual(
    open.map(([name]) => name),
    ['GET /coverage'],
  )
})

test('describes Idempotency-Key and the replay header for the three POST endpoints (§8.3)', () => {
  for (const [name, operation] of operations()) {
    const takesKey = operation.parameters.some((parameter: { name: string }) => parameter.name === 'Idempotency-Key')
    assert.equal(takesKey, name.startsWith('POST'), name)
    assert.equal('Idempotent-Replayed' in operation.responses[200].headers, name.startsWith('POST'), name)
  }
})

test('describes rate headers for responses to known keys, as optional before the key look-up, and never for 401 (D28)', () => {
  const promise = { true: 'always', undefined: 'maybe' }
  for (const [name, operation] of operations()) {
    for (const [status, { headers }] of Object.entries(operation.responses as Record<string, DocumentedResponse>)) {
      const promised = ['RateLimit', 'RateLimit-Policy'].map((header) => {
        const $ref = headers[header]?.$ref.split('/').at(-1)
        return $ref === undefined
          ? 'never'
          : promise[`${document.components.headers[$ref].required as true | undefined}`]
      })
      const known = status === '500' || status === '503' ? 'maybe' : 'always'
      const due = name === 'GET /coverage' || status === '401' ? 'never' : known
      assert.deepEqual(promised, [due, due], `${name} ${status}`)
    }
  }
})

test('requires exactly one of text and templateId in the send schema (§4.1)', () => {
  const schema = { $ref: '#/components/schemas/Sending' }
  const to = '+9779800000001'
  assert.equal(faultsOf(schema, { to, text: 'Namaste' }), '')
  assert.equal(faultsOf(schema, { to, templateId: 't', variables: { name: 'Asha', count: 3 } }), '')
  assert.notEqual(faultsOf(schema, { to }), '')
  assert.notEqual(faultsOf(schema, { to, text: 'Namaste', templateId: 't' }), '')
  assert.notEqual(faultsOf(schema, { to, text: 'Namaste', variables: { name: 'Asha' } }), '')
  assert.notEqual(faultsOf(schema, { to, templateId: 't', variables: { name: true } }), '')
  assert.notEqual(faultsOf(schema, { to: '12', text: 'Namaste' }), '')
})

test('allows null for every optional field of the three POSTs, and limits the sender (D38, D4)', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const to = '+9779800000001'
  const nothing = { templateId: null, variables: null, type: null, senderId: null }
  assert.equal(faultsOf(ref('Sending'), { to, text: 'Namaste', ...nothing }), '')
  assert.equal(faultsOf(ref('Sending'), { to, text: 'Namaste', variables: {} }), '')
  assert.equal(faultsOf(ref('Sending'), { to, text: null, templateId: 't', variables: { name: 'Asha' } }), '')
  assert.notEqual(faultsOf(ref('Sending'), { to, text: null, templateId: null }), '')
  assert.equal(faultsOf(ref('CodeRequest'), { to, purpose: null, ip: null, senderId: null }), '')
  assert.equal(faultsOf(ref('CodeTry'), { to, code: '123456', purpose: null }), '')
  assert.notEqual(faultsOf(ref('CodeTry'), { to, code: null }), '')
  for (const [name, more] of [
    ['Sending', { text: 'Namaste' }],
    ['CodeRequest', {}],
  ] as const) {
    assert.equal(faultsOf(ref(name), { to, ...more, senderId: '📨'.repeat(100) }), '')
    assert.notEqual(faultsOf(ref(name), { to, ...more, senderId: '📨'.repeat(101) }), '')
  }
  assert.deepEqual(document.components.schemas.CodeRequest.required, ['to'])
  assert.equal(document.components.schemas.CodeRequest.properties.purpose.default, 'default')
})

test('describes webhooks with the headers of the vendor as the service sends them (§6)', () => {
  const status = {
    messageId: '0198f0a4-81d0-7c3f-8a44-0e5d7b9c1a20',
    to: '+9779800000001',
    at: new Date(0),
    segments: 1,
  }
  const made = [
    statusEvent({ ...status, status: 'sent', messageType: 'otp', error: '' }),
    statusEvent({ ...status, status: 'failed', messageType: 'promotional', error: 'carrier_rejected' }),
    inboundEvent({ inboundId: status.messageId, from: status.to, text: 'YES', at: status.at }),
    inboundEvent({
      inboundId: status.messageId,
      from: status.to,
      text: '',
      at: status.at,
      inReplyTo: status.messageId,
    }),
  ]
  for (const { name, body } of made) {
    const { post } = document.webhooks[name]
    const { schema } = post.requestBody.content['application/json']
    assert.equal(faultsOf(schema, JSON.parse(new TextDecoder().decode(body))), '')
    const headers = post.parameters.map((parameter: { name: string }) => parameter.name)
    assert.deepEqual(headers, ['x-acme-signature', 'x-acme-event', 'x-acme-delivery', 'user-agent'])
  }
})

test('never repeats an invalid Host header in the reference', async () => {
  for (const path of ['/docs/reference', '/docs/reference/sms-and-otp-api/messages']) {
    const asked = request(`${service.url}${path}`, { headers: { host: '"><img src=x>' } }).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    assert.deepEqual([answer.statusCode, answer.headers['cache-control']], [200, 'no-store'], path)
    const body = Buffer.concat(await answer.toArray()).toString()
    assert.doesNotMatch(body, /<img/)
  }
})

test('shows this document in the reference at /docs/reference, without requests to other servers', async () => {
  const page = await call(`${service.url}/docs/reference/`, { method: 'GET' })
  assert.equal(page.status, 200)
  assert.match(page.body, /<a href="\/api\/sms\/v1\/openapi\.json">OpenAPI document<\/a>/)
  assert.doesNotMatch(page.body.replaceAll(/href="data:image\/svg[^"]+"/g, ''), /https?:\/\//)
  const policy = page.headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/)
  assert.doesNotMatch(policy, /https?:|unsafe|\*/)
  const [, path] = /<script src="([^"]+)"/.exec(page.body) ?? []
  const script = await call(`${service.url}${path}`, { method: 'GET' })
  for (const { headers } of [page, script]) assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(script.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.match(script.headers.get('content-type') ?? '', /javascript/)
  const messages = await call(`${service.url}/docs/reference/sms-and-otp-api/messages`, { method: 'GET' })
  assert.match(messages.body, new RegExp(`${service.url}/api/sms/v1/sms/send`))
})

interface DocumentedResponse {
  headers: Record<string, { $ref: string }>
  content: { 'application/json': Media }
}

interface Media {
  schema: Record<string, unknown>
  examples: Record<string, { value: { code?: string } }>
}

// biome-ignore lint/suspicious/noExplicitAny: the tests look into every corner of it
function operations(): [string, any][] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as object).map(([method, operation]): [string, unknown] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  )
}

/** All schemas below a part of the document. */
function mediaOf(part: unknown): Media[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([key, value]) =>
    key === 'application/json' ? [value as Media] : mediaOf(value),
  )
}

const ajv = new Ajv2020({ strict: false })
formats.default(ajv)

function faultsOf(schema: object, value: unknown): string {
  const { components } = document
  return ajv.validate({ ...schema, components }, value) ? '' : `${ajv.errorsText()}: ${JSON.stringify(value)}`
}
