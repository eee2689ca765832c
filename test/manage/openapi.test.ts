// The OpenAPI document of the management API: every call is made and answered as described (see test/harness/contract.ts).
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { after, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { MAX_TOKENS } from '../../src/actions/people/manage-owner-tokens.ts'
import { MAX_PENDING } from '../../src/actions/templates/manage-templates.ts'
import { MAX_PER_MINUTE, MAX_REPLAYED } from '../../src/actions/webhooks/manage-webhook-deliveries.ts'
import { IDEMPOTENCY_SECONDS } from '../../src/domain/messages/idempotency.ts'
import { REFUSALS } from '../../src/domain/refusals.ts'
import { MAX_PREFIXES_SHOWN } from '../../src/domain/service/reach.ts'
import { MINUTES_KEPT_SECONDS } from '../../src/domain/service/service-minutes.ts'
import { BODY_LIMIT_BYTES } from '../../src/http/reply.ts'
import { MAX_WAITING_CALLS } from '../../src/manage/owner-turns.ts'
import { MAX_UNMATCHED_SHOWN } from '../../src/store/messages/unmatched-receipts.ts'
import { MAX_ROWS_SCANNED } from '../../src/store/pages.ts'
import { MAX_ATTEMPTS_SHOWN } from '../../src/store/webhooks/webhook-deliveries.ts'
import { MAX_FAILED_COUNTED } from '../../src/store/webhooks/webhook-failures.ts'
import { Authenticator, codeOf } from '../harness/authenticator.ts'
import { makeClient, makeOwner } from '../harness/client.ts'
import { assertMatchesOpenApi } from '../harness/contract.ts'
import { mountedRoutes } from '../harness/mounted-routes.ts'
import { Browser, makePerson, PASSWORD, secretOf } from '../harness/people.ts'
import { query } from '../harness/server.ts'
import { type Answer, call, ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { startEndpoint } from '../webhooks/endpoints.ts'
import { clientBody, makeTemplate, templateBody, workspaceBody } from './fixtures.ts'

const service = await ownService({
  env: {
    HULAKI_ROLES: 'api,delivery,webhooks,upkeep,simulator',
    HULAKI_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    HULAKI_WEBHOOK_CA_FILE: fileURLToPath(new URL('../webhooks/certificates/ca.cert.pem', import.meta.url)),
  },
})
const { manage, url } = service
const { body: document } = await call(`${url}/api/manage/v1/openapi.json`, { method: 'GET' })

const ajv = new Ajv2020({ strict: false })
formats.default(ajv)
ajv.addSchema({ $id: 'document', components: document.components })
const validators = new Map<string, ValidateFunction>()

interface Media {
  schema: Record<string, unknown>
  examples?: Record<string, { value: { code?: string } }>
}

interface Operation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  parameters: { in: string; name: string; description?: string }[]
  requestBody?: { content: Record<string, { schema: { $ref?: string } }> }
  'x-roles': string[]
  'x-scope': string
  'x-fresh': boolean
  responses: Record<string, { content?: { 'application/json'?: Media } }>
}

const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
)

test('describes every call with a unique id and its roles, and no other call', async () => {
  assert.equal(document.openapi, '3.1.0')
  assert.deepEqual(document.servers, [{ url: `${service.url}/api/manage/v1` }])
  const { routes } = await mountedRoutes(service.ports)
  const described = operations.map(({ name, operation }) => [name, operation['x-roles'], operation['x-scope']])
  const mounted = routes.map(({ method, path, permission }) => [
    `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    permission.roles,
    permission.scope,
  ])
  const byName = ([one]: unknown[], [other]: unknown[]) => String(one).localeCompare(String(other))
  assert.deepEqual(described.toSorted(byName), mounted.toSorted(byName))
  const ids = operations.map(({ operation }) => operation.operationId)
  assert.equal(new Set(ids).size, ids.length)
  const tags = document.tags.map((tag: { name: string }) => tag.name)
  assert.deepEqual(new Set(operations.flatMap(({ operation }) => operation.tags)), new Set(tags))
})

test('has imperative summaries of at most six words, and a description for every parameter and body field', () => {
  for (const { name, operation } of operations) {
    assert.match(operation.summary, /^[A-Z][A-Za-z-]*( [\w-]+){0,5}$/, name)
    assert.doesNotMatch(operation.summary, /^(Make|Read|Tell|Let|Say|Ask|Look)\b/, name)
    for (const { in: place, name: parameter, description } of operation.parameters)
      assert.ok(place === 'path' || description, `${name} ${parameter}`)
    const { $ref = '' } = operation.requestBody?.content['application/json']?.schema ?? {}
    const body = document.components.schemas[$ref.split('/').at(-1) ?? '']
    for (const [field, schema] of Object.entries<FieldSchema>(body?.properties ?? {}))
      assert.ok(schema.description || schema.$ref || schema.properties || isPersons(operation), `${name} ${field}`)
  }
})

interface FieldSchema {
  description?: string
  $ref?: string
  properties?: object
}

/** Only screens of the console make these calls. */
function isPersons(operation: Operation): boolean {
  return operation['x-scope'] === 'person'
}

test('requires a bearer token or a session, except for signing in', () => {
  assert.deepEqual(document.security, [{ token: [] }, { session: [] }])
  const { type, scheme } = document.components.securitySchemes.token
  assert.deepEqual([type, scheme], ['http', 'bearer'])
  for (const { name, operation } of operations)
    assert.equal('security' in operation, operation['x-roles'].includes('anybody'), name)
})

test('is in the reference at /docs/reference beside the v1 API, which is shown first', async () => {
  const { body } = await call(`${url}/docs/reference/`, { method: 'GET' })
  const offered = [...body.matchAll(/href="([^"]+openapi\.json)"/g)].map(([, path]) => path)
  assert.deepEqual(offered, ['/api/sms/v1/openapi.json', '/api/manage/v1/openapi.json'])
  assert.match(body, /<a class="anchor" href="#management-api">Management API<\/a>/)
})

test('states the limits that the service enforces', () => {
  const text = JSON.stringify(document)
  for (const limit of [
    `${MAX_WAITING_CALLS} more can wait`,
    `${BODY_LIMIT_BYTES / 1024} KiB`,
    `valid for ${IDEMPOTENCY_SECONDS / 3600} hours`,
    `up to ${MAX_TOKENS} active tokens`,
    `up to ${MAX_PENDING} pending templates`,
    `At most ${MAX_REPLAYED} deliveries. Up to ${MAX_PER_MINUTE.replay} in a minute`,
    `Up to ${MAX_PER_MINUTE.resend} in a minute`,
    `The last ${MAX_ATTEMPTS_SHOWN}`,
    `reads at most ${MAX_ROWS_SCANNED} messages`,
    `The latest ${MAX_UNMATCHED_SHOWN} delivery receipts that no message matched`,
    `counted up to ${MAX_FAILED_COUNTED}`,
    `kept for ${MINUTES_KEPT_SECONDS / 86_400} days`,
    `Up to ${MAX_PREFIXES_SHOWN} prefixes`,
    `reads at most ${MAX_ROWS_SCANNED} entries`,
  ])
    assert.ok(text.includes(limit), limit)
  const { binds, window, segmentsPerSecond } = document.components.schemas.NewCarrier.properties
  assert.deepEqual([binds.minimum, binds.maximum, binds.default], [1, 50, 1])
  assert.deepEqual([window.maximum, segmentsPerSecond.anyOf[0].maximum], [1000, 100_000])
  // A literal number in a description would not change with the limit.
  for (const file of globSync('src/{manage,http/openapi}/**/*.ts'))
    assert.doesNotMatch(
      readFileSync(file, 'utf8'),
      /\b\d+ (KiB|hours|days|wait|in a minute|active|pending|deliveries|messages|entries)\b|(Up to|At most|The last) \d/,
      file,
    )
})

test('lists the errors of each call by HTTP status, each with a valid example (§7)', () => {
  for (const { name, operation } of operations) {
    const refusals = Object.entries(operation.responses).flatMap(([status, { content }]) =>
      Object.values(content?.['application/json']?.examples ?? {}).map(({ value }) => ({
        status: Number(status),
        ...value,
      })),
    )
    for (const { status, code = '' } of refusals) {
      assert.equal(status === 413 ? 400 : status, REFUSALS[code as keyof typeof REFUSALS].status, `${name}: ${code}`)
    }
    const codes = new Set(refusals.map(({ code = '' }) => code))
    for (const code of ['unauthorized', 'server_error', 'unavailable']) assert.ok(codes.has(code), `${name}: ${code}`)
    assert.ok(codes.has('rate_limited') || !operation['x-roles'].includes('owner'), name)
    assert.equal(codes.has('forbidden'), !name.startsWith('GET'), name)
    assert.ok(codes.has('sign_in_again') || !operation['x-fresh'], name)
    assert.equal(codes.has('not_found'), operation['x-scope'] !== 'caller', name)
    assert.equal(413 in operation.responses, !name.startsWith('GET'), name)
  }
})

test('has examples that match their schemas, and no broken reference', () => {
  const media = mediaOf(document.paths).filter(({ examples }) => examples)
  assert(media.length > 200)
  for (const { schema, examples = {} } of media) {
    for (const { value } of Object.values(examples)) assert.equal(faultsOf(schema, value), '')
  }
  for (const [, pointer = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const target = pointer.split('/').reduce((at, step) => at?.[step], document)
    assert(target, pointer)
  }
})

test('describes requests as they are validated: strict, and with defaults', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  assert.equal(faultsOf(ref('NewWorkspace'), workspaceBody), '')
  assert.notEqual(faultsOf(ref('NewWorkspace'), { ...workspaceBody, colour: 'red' }), '')
  assert.notEqual(faultsOf(ref('NewWorkspace'), { ...workspaceBody, monthlyCredit: -1 }), '')
  assert.equal(faultsOf(ref('SecretRotation'), null), '')
  const carrier = { name: 'Everest', host: 'SMPP.example.net', port: 2775, systemId: 'himal', password: '' }
  assert.equal(faultsOf(ref('NewCarrier'), carrier), '')
  const statusOverrides = { answers: { '0x401': { outcome: 'throttled' } } }
  assert.equal(faultsOf(ref('CarrierChange'), { statusOverrides }), '')
  const { parameters } = document.paths['/names'].get
  assert.deepEqual(
    parameters.map(({ name, required }: { name: string; required: boolean }) => [name, required]),
    [
      ['kind', true],
      ['name', true],
      ['workspace', false],
    ],
  )
})

test('answers every call as described', async () => {
  const answers = await makeEveryCall()
  // Their own tests have a provider and a mail server.
  const elsewhere = ['goToProvider', 'comeFromProvider', 'recoverByMail']
  const here = operations.filter(({ operation }) => !elsewhere.includes(operation.operationId))
  assert.deepEqual(
    here.map(({ operation }) => operation.operationId).sort(),
    Object.keys(answers).sort(),
    'make the new call below',
  )
  for (const { operation } of here) {
    const { status, body } = answers[operation.operationId] ?? {}
    assert.ok(status !== undefined && status < 300, `${operation.operationId}: ${status} ${JSON.stringify(body)}`)
    // An empty list would not show its items.
    if (
      body?.items &&
      !['listClientFraudEvents', 'listFraudEvents', 'listAllFraudEvents'].includes(operation.operationId)
    )
      assert.ok(body.items.length > 0, `${operation.operationId} lists nothing`)
  }
  const { timeline } = answers.getTimeline?.body ?? {}
  assert.deepEqual(
    new Set(timeline.map((it: { what: string }) => it.what)),
    new Set(['status', 'charge', 'submission', 'answer', 'report', 'event', 'attempt']),
  )
  assert.ok(answers.getWebhookDelivery?.body.attempts.length > 0)
})

test('fails a test whose response differs from its description: an extra field, a missing field, another type', async () => {
  const { id } = (await manage('POST', '/workspaces', workspaceBody)).body
  const { status, headers, body } = await manage('GET', `/workspaces/${id}`)
  const assertGiven = (given: unknown) =>
    assertMatchesOpenApi({ method: 'GET', url: `${url}/api/manage/v1/workspaces/${id}`, status, headers, body: given })
  await assertGiven(body)
  const { balance, ...less } = body
  for (const other of [
    { ...body, secret: 'x' },
    less,
    { ...body, balance: `${balance}` },
    { ...body, status: 'on' },
    null,
  ])
    await assert.rejects(assertGiven(other), /does not fit its schema/)
  const undescribed = assertMatchesOpenApi({
    method: 'GET',
    url: `${url}/api/manage/v1/nothing`,
    status: 200,
    headers,
    body,
  })
  await assert.rejects(undescribed, /is not in the document/)
})

/** The last response of each operation id. */
async function makeEveryCall(): Promise<Record<string, Answer>> {
  const answers: Record<string, Answer> = {}
  const ask = async (operationId: string, path: string, body?: unknown, by?: Browser) => {
    const { name = '' } = operations.find(({ operation }) => operation.operationId === operationId) ?? {}
    const method = name.split(' ', 1)[0] ?? ''
    const answer = await (by ? by.ask(method, path, body) : manage(method, path, body))
    answers[operationId] = answer
    return answer.body
  }
  const endpoint = await startEndpoint({ after } as TestContext, (response) => response.writeHead(204).end())
  const workspace = await ask('createWorkspace', '/workspaces', { ...workspaceBody, templatesRequired: false })
  const at = `/workspaces/${workspace.id}`
  await ask('changeWorkspace', at, { rate: { otp: 1.1 } })
  await ask('topUp', `${at}/credits`, { amount: 10 })
  const client = await makeClient(service, {
    workspaceId: workspace.id,
    webhookUrl: `https://127.0.0.1:${endpoint.port}/`,
  })
  const { messageId } = (await client.send()).body
  await service.advance(60)
  await ask('advanceClock', '/clock/advance', { seconds: 1 })
  const { items: handset } = await ask('listHandsetMessages', '/simulator/messages')
  const reply = { from: handset[0].to, to: handset[0].from, text: 'YES' }
  await ask('writeHandsetReply', '/simulator/messages', reply)
  await ask('listWorkspaceHandsetMessages', `${at}/simulator/messages`)
  await ask('writeWorkspaceHandsetReply', `${at}/simulator/messages`, reply)
  await ask('listSimulatorOutcomes', '/simulator/outcomes')
  await ask('getStart', `${at}/start`)
  await ask('listMessages', `${at}/messages`)
  await ask('listAllMessages', '/messages')
  await client.send({ to: '1' })
  await until(async () => (await manage('GET', `${at}/requests`)).body.items.length > 0)
  await ask('listWorkspaceRequests', `${at}/requests`)
  await ask('listRequests', '/requests')
  await call(`${service.url}/api/sms/v1/sms/balance`, { method: 'GET', headers: { 'x-api-key': 'unknown' } })
  await until(async () => (await manage('GET', '/requests/unknown-keys')).body.items.length > 0)
  await ask('listUnknownKeyRequests', '/requests/unknown-keys')
  await ask('countRequestErrors', `${at}/requests/errors`)
  await ask('exportMessages', `${at}/messages.csv`)
  await ask('exportRevealedMessages', `${at}/messages-revealed.csv`)
  await ask('watchWorkspace', `${at}/events`)
  await ask('watchService', '/events')
  await ask('getMessageHistory', `${at}/messages/history`)
  await ask('getServiceMessageHistory', '/messages/history')
  await ask('revealMessage', `/messages/${messageId}/reveal`)
  await ask('getTimeline', `/messages/${messageId}/timeline`)
  // Rejected temporarily at each attempt, so that it waits.
  const waitingToo = await Promise.all(['9841007104', '9841007204'].map((to) => client.send({ to })))
  await service.settle()
  await ask('cancelMessage', `/messages/${waitingToo[0]?.body.messageId}/cancel`)
  await ask('cancelMessages', `${at}/messages/cancel`, { client: client.id, olderThanSeconds: 3600 })
  await ask('failMessage', `/messages/${waitingToo[1]?.body.messageId}/fail`)
  await ask('failMessages', `${at}/messages/fail`, { status: ['sent'], olderThanSeconds: 3600 })
  await ask('resendMessage', `/messages/${waitingToo[1]?.body.messageId}/resend`)
  await ask('resendMessages', `${at}/messages/resend`, { status: ['submitting'] })
  const selected = { ids: [messageId] }
  await ask('cancelSelectedMessages', '/messages/cancel', selected)
  await ask('failSelectedMessages', '/messages/fail', selected)
  await ask('resendSelectedMessages', '/messages/resend', selected)
  await ask('exportSelectedMessages', '/messages/export', selected)
  await ask('getWorkspace', at)
  await ask('listWorkspaces', '/workspaces')
  await ask('listLedger', `${at}/ledger`)
  await ask('getUsage', `${at}/usage`)
  await ask('getMonth', `${at}/months/2026-11`)
  await ask('getStatement', `${at}/months/2026-11/statement`)
  await ask('exportUsage', `${at}/usage.csv?month=2026-11`)
  await ask('exportLedger', `${at}/ledger.csv`)
  await ask('setCreditAlerts', `${at}/credit-alerts`, { below: [100] })
  await ask('requestCredit', `${at}/credit-request`, { amount: 100 })
  await ask('withdrawCreditRequest', `${at}/credit-request`)
  await ask('requestCredit', `${at}/credit-request`, { amount: 100 })
  await ask('declineCreditRequest', `${at}/credit-request/decline`, {})
  await client.otp()
  await ask('getCodeFunnel', `${at}/codes/funnel`)
  await ask('getCodesByPrefix', `${at}/codes/by-prefix`)
  await ask('listFraudEvents', `${at}/codes/fraud-events`)
  await ask('getServiceCodeFunnel', '/codes/funnel')
  await ask('getServiceCodesByPrefix', '/codes/by-prefix')
  await ask('getCodesByWorkspace', '/codes/by-workspace')
  await ask('listAllFraudEvents', '/codes/fraud-events')

  await ask('createOwnerToken', `${at}/owner-tokens`, { name: 'Sita' })
  await ask('listOwnerTokens', `${at}/owner-tokens`)
  const { id: tokenId } = await makeOwner(service, workspace.id)
  await ask('revokeOwnerToken', `${at}/owner-tokens/${tokenId}`)

  await ask('inviteMember', `${at}/invitations`, { email: 'guest@example.com', role: 'viewer' })
  const [waiting] = (await ask('listInvitations', `${at}/invitations`)).items
  await ask('revokeInvitation', `${at}/invitations/${waiting.id}`)
  const person = await makePerson(service, { workspaceId: workspace.id })
  await ask('listMembers', `${at}/members`)
  await ask('changeMember', `${at}/members/${person.id}`, { role: 'viewer' })
  await ask('recoverMember', `${at}/members/${person.id}/recovery`)
  await ask('recoverPerson', `/people/${person.id}/recovery`)
  await ask('changePerson', `/people/${person.id}`, { email: 'changed@example.com' })
  await ask('removeMember', `${at}/members/${person.id}`)
  const operator = await makePerson(service)
  await makePerson(service)
  const invited = await ask('inviteOperator', '/operators/invitations', {})
  await ask('listOperatorInvitations', '/operators/invitations')
  await ask('revokeOperatorInvitation', `/operators/invitations/${invited.id}`)
  await ask('listOperators', '/operators')
  await ask('createOperatorToken', '/operators/tokens', { name: 'Terraform' })
  const [token] = (await ask('listOperatorTokens', '/operators/tokens')).items
  await ask('revokeOperatorToken', `/operators/tokens/${token.id}`)
  const { link } = await ask('inviteOperator', '/operators/invitations', {})
  const guest = new Browser(service)
  await ask('getLink', '/links/view', { secret: secretOf(link) }, guest)
  await ask('useLink', '/links/use', { secret: secretOf(link), email: 'new@example.com' }, guest)
  const { browser, email } = operator
  await ask('getAccount', '/account', undefined, browser)
  await ask('changeAccount', '/account', { language: 'ne' }, browser)
  await ask('changePassword', '/account/password', { password: PASSWORD }, browser)
  await ask('signInAgain', '/session/refresh', { password: PASSWORD }, browser)
  await ask('getWaysToSignIn', '/sign-in', undefined, guest)
  const device = new Authenticator(url)
  const made = await ask('askForNewPasskey', '/account/passkeys/options', undefined, browser)
  const passkey = { id: made.id, name: 'Phone', response: device.create(made.options) }
  const { id: passkeyId } = await ask('addPasskey', '/account/passkeys', passkey, browser)
  await ask('listPasskeys', '/account/passkeys', undefined, browser)
  const byPasskey = async (operationId: string, path: string, by: Browser) => {
    const asked = await ask('askForPasskey', '/sign-in/passkey/options', undefined, by)
    await ask(operationId, path, { id: asked.id, response: device.get(asked.options) }, by)
  }
  await byPasskey('signInByPasskey', '/sign-in/passkey', guest)
  await byPasskey('signInAgainByPasskey', '/session/refresh/passkey', browser)
  await ask('removePasskey', `/account/passkeys/${passkeyId}`, undefined, browser)
  const { secret } = await ask('startTotp', '/account/totp', undefined, browser)
  await ask('finishTotp', '/account/totp/confirm', { code: codeOf(secret, service.clock.now()) }, browser)
  await ask('removeTotp', '/account/totp', undefined, browser)
  await ask('signIn', '/session', { email, password: PASSWORD }, guest)
  const { items: sessions } = await ask('listSessions', '/sessions', undefined, browser)
  await ask('endSession', `/sessions/${sessions[0].id}`, undefined, sessions[0].isCurrent ? guest : browser)
  await ask('endOtherSessions', '/sessions', undefined, browser)
  await ask('signOut', '/session', undefined, browser)
  await ask('removeOperator', `/operators/${operator.id}`)

  const { id } = await ask('createClient', `${at}/clients`, { ...clientBody, restrictions: { dailyCap: 5 } })
  await ask('sendMessage', `/clients/${id}/messages`, { to: '+9779841234568', text: 'Namaste' })
  await ask('previewMessage', `/clients/${id}/messages/preview`, { text: 'Namaste' })
  await ask('sendTestOtp', `/clients/${id}/test-otp`, { to: '+9779841234568' })
  await ask('verifyTestOtp', `/clients/${id}/test-otp/verify`, { to: '+9779841234568', code: '000000' })
  const listening = { listener: 'sita@laptop', session: id }
  await manage('POST', `/clients/${id}/listening`, { ...listening, as: 'begin' })
  await ask('triggerEvent', `/clients/${id}/trigger`, { outcome: 'delivered' })
  await service.settle()
  await ask('listen', `/clients/${id}/listening`, { ...listening, as: 'renew' })
  await ask('endListening', `/clients/${id}/listening/${id}`)
  await ask('listClients', `${at}/clients`)
  await ask('getClient', `/clients/${id}`)
  await ask('changeClient', `/clients/${id}`, { name: 'Renamed' })
  await ask('listClientFraudEvents', `/clients/${id}/fraud-events`)
  await ask('addAllowedPrefix', `/clients/${id}/pumping-allowlist`, { prefix: '+97798' })
  await ask('listAllowedPrefixes', `/clients/${id}/pumping-allowlist`)
  await ask('removeAllowedPrefix', `/clients/${id}/pumping-allowlist/+97798`)
  const key = await ask('addClientKey', `/clients/${id}/keys`)
  await ask('listClientKeys', `/clients/${id}/keys`)
  await ask('revokeClientKey', `/clients/${id}/keys/${key.id}`)
  await ask('rotateApiKey', `/clients/${id}/rotate-key`)
  await ask('rotateWebhookSecret', `/clients/${id}/rotate-webhook-secret`)
  await ask('disableClient', `/clients/${id}/disable`)
  await ask('enableClient', `/clients/${id}/enable`)

  const deliveries = `/clients/${client.id}/webhook-deliveries`
  await ask('sendTestEvent', `/clients/${client.id}/test-event`)
  const { items } = await ask('listWebhookDeliveries', deliveries)
  await ask('listWorkspaceWebhookDeliveries', `${at}/webhook-deliveries`)
  await ask('listWebhookEndpoints', `${at}/webhook-endpoints`)
  await ask('listAllWebhookEndpoints', '/webhook-endpoints')
  await ask('listAllWebhookDeliveries', '/webhook-deliveries')
  await ask('resendWebhookDelivery', `/webhook-deliveries/${items.at(-1).id}/resend`)
  await ask('getWebhookDelivery', `/webhook-deliveries/${items.at(-1).id}`)
  await ask('replayWebhookDeliveries', `${deliveries}/replay`, { since: '2026-11-16T00:00:00Z' })

  await ask('submitTemplate', `${at}/templates`, templateBody)
  await ask('matchTemplates', `${at}/templates/match`, { text: 'Your order' })
  await ask('listWorkspaceTemplates', `${at}/templates`)
  await ask('listTemplates', '/templates')
  const template = await makeTemplate(service, workspace.id)
  await ask('approveTemplate', `/templates/${template}/approve`)
  await ask('getTemplate', `/templates/${template}`)
  await ask('changeTemplate', `/templates/${template}`, { carrierFields: { dltTemplateId: '1107' } })
  await ask('rejectTemplate', `/templates/${template}/reject`, { reason: 'Say which shop it is from' })

  const carrier = await ask('createCarrier', '/carriers', {
    name: 'Everest',
    host: '127.0.0.1',
    port: 9,
    systemId: 'himal',
    password: '',
    statusOverrides: { answers: { '0x401': { outcome: 'rejected', error: 'carrier_rejected' } } },
  })
  await ask('listCarriers', '/carriers')
  await ask('listCarrierPresets', '/carrier-presets')
  await ask('getCarrier', `/carriers/${carrier.id}`)
  await ask('changeCarrier', `/carriers/${carrier.id}`, { idFormat: { answers: 'hex', reports: 'decimal' } })
  await query(
    service.address,
    `insert into unmatched_receipt (carrier_id, id, reference, to_number, state, code, raw, received_at)
     values ('${carrier.id}', '${service.ports.ids.next()}', '41394', '+9779800000000', 'DELIVRD', '000', 'id:41394', '2026-11-16')`,
  )
  await ask('listUnmatchedReceipts', `/carriers/${carrier.id}/receipts`)
  await ask('putCarrierPrices', `/carriers/${carrier.id}/prices`, {
    currency: 'NPR',
    prices: [{ prefix: '+977', price: 0.35 }],
  })
  await ask('getCarrierPrices', `/carriers/${carrier.id}/prices`)
  const calling = await ask('createCarrier', '/carriers', {
    kind: 'http',
    name: 'Calls back',
    enabled: false,
    http: {
      url: 'https://provider.example/messages',
      answer: { id: '/id' },
      receipts: { kind: 'callback', reading: { id: '/id', state: '/state' } },
    },
  })
  await ask('getCarrierCallback', `/carriers/${calling.id}/callback`, { renew: true })
  await ask('getCarrierFigures', `/carriers/${carrier.id}/figures`)
  await ask('testCarrier', `/carriers/${carrier.id}/test`)
  await ask('listCarrierTests', `/carriers/${carrier.id}/tests`)
  const { id: captureId } = await ask('captureCarrier', `/carriers/${carrier.id}/captures`)
  await ask('listCarrierCaptures', `/carriers/${carrier.id}/captures`)
  await ask('getCarrierCapture', `/carriers/${carrier.id}/captures/${captureId}`)
  await ask('getCarrierCaptureFile', `/carriers/${carrier.id}/captures/${captureId}/pcap`)
  const route = await ask('createRoute', '/routes', { country: 'IN', carrierId: carrier.id })
  await ask('listRoutes', '/routes')
  await ask('changeRoute', `/routes/${route.id}`, { types: ['otp'] })

  const inbound = service.ports.ids.next()
  await query(
    service.address,
    `insert into inbound_message (id, carrier_id, from_number, to_address, text, received_at)
     values ('${inbound}', '${carrier.id}', '+9779800000000', 'Shop', 'YES', '2026-11-16')`,
  )
  await ask('attributeReply', `/inbound/${inbound}/attribute`, { clientId: client.id })
  await ask('listReplies', '/inbound')
  await ask('listWorkspaceReplies', `${at}/inbound`)
  await ask('removeRoute', `/routes/${route.id}`)
  await ask('removeCarrier', `/carriers/${carrier.id}`)

  await ask('getNow', '/now')
  await ask('getNowHistory', '/now/history?range=24h')
  await ask('checkHealth', '/doctor')
  await ask('getService', '/service')
  await ask('changeService', '/service', { smsEnabled: true })
  await ask('putCountry', '/countries/IN', { name: 'India', state: 'off', quietHours: null })
  await ask('getCountry', '/countries/NP')
  await ask('listCountries', '/countries')
  await ask('removeCountry', '/countries/IN')
  await ask('listWorkspaceAuditLog', `${at}/audit-log`)
  await ask('listAuditLog', '/audit-log')
  await ask('whoami', '/whoami')
  await ask('findNamed', '/names?kind=workspace&name=Himal%20Bank')
  await ask('search', '/search?q=himal')
  await ask('listArchivable', '/archive')
  await ask('archiveDay', '/archive/messages?day=2026-11-01')
  await ask('forgetNumber', '/numbers/forget', { number: '+9779841000999' })
  return answers
}

/** All schemas below a part of the document. */
function mediaOf(part: unknown): Media[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([key, value]) =>
    key === 'application/json' ? [value as Media] : mediaOf(value),
  )
}

function faultsOf(schema: object, value: unknown): string {
  const absolute = JSON.stringify(schema).replaceAll('"#/', '"document#/')
  const validate = validators.getOrInsertComputed(absolute, () => ajv.compile(JSON.parse(absolute)))
  return validate(value) ? '' : `${ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`
}
