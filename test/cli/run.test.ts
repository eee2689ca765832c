// The command line against the real service, for operators and owners.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../scripts/free-port.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { sql } from '../../src/store/database/sql.ts'
import { listener } from '../harness/background.ts'
import { getBalance, makeClient, makeWorkspace } from '../harness/client.ts'
import { makePerson } from '../harness/people.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { ABSENT } from '../manage/fixtures.ts'
import { startEndpoint } from '../webhooks/endpoints.ts'
import { pretend, pretendAnswers } from './pretend.ts'
import { typist } from './typed.ts'

const service = await ownService({
  env: {
    HULAKI_ROLES: 'api,delivery,webhooks,upkeep,simulator',
    HULAKI_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    HULAKI_WEBHOOK_CA_FILE: fileURLToPath(new URL('../webhooks/certificates/ca.cert.pem', import.meta.url)),
  },
})
const type = typist(service.url)

const RATES = ['--rate-transactional', '1.5', '--rate-otp', '1.2', '--rate-promotional', '1']

test('an operator creates a workspace, a client and a template, and reads a message timeline', async () => {
  const made = await type('workspace', 'create', 'Himal Bank', '--country', 'NP', '--monthly-credit', '500', ...RATES)
  assert.equal(made.code, 0, made.err)
  const workspace = /^id +(\S+)$/m.exec(made.out)?.[1] ?? ''
  assert.match(made.out, /^rate\.otp +1\.2$/m)
  assert.equal((await type('workspace', 'change', workspace, '--status', 'active')).code, 0)

  const created = await type('client', 'create', workspace, 'Web shop', '--brand-name', 'Himal', '--json')
  const { id: client, apiKey } = created.json()
  assert.equal(created.err, '')
  const other = await type('client', 'create', workspace, 'Other', '--brand-name', 'Himal')
  assert.equal(other.err, 'Shown once: save apiKey and webhookSecret now.')
  const submitted = await type(
    ...['template', 'submit', workspace, 'Order', 'Your order {{number}} is on its way', '--type', 'transactional'],
    '--json',
  )
  assert.match((await type('template', 'list-all', '--status', 'pending')).out, /Your order \{\{number\}\}/)
  assert.equal((await type('template', 'approve', submitted.json().id)).code, 0)

  const response = await fetch(`${service.url}/api/sms/v1/sms/send`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ to: '9800000001', text: 'Your order 4711 is on its way' }),
  })
  const { messageId } = (await response.json()) as { messageId: string }
  assert.equal((await type('clock', 'advance', '5')).code, 0)
  const shown = await type('message', 'show', messageId)
  assert.match(shown.out, /^text +Your order 4711 is on its way$/m)
  assert.match(shown.out, /charge +kind=reservation amount=1\.5/)
  assert.match(shown.out, /status +status=delivered/)
  const listed = await type('message', 'list', workspace, '--client', client, '--to', '+9779800000001')
  assert.match(listed.out, new RegExp(`^${messageId} .* delivered `, 'm'))
  assert.match((await type('simulator', 'messages')).out, /Your order 4711/)
  assert.match((await type('audit', 'list', workspace)).out, /template\.approved/)
})

test('carrier test prints its steps, and a capture shows the PDUs', async () => {
  const { id } = (await type('carrier', 'capture', 'Simulator', '--seconds', '60', '--json')).json()
  await service.settle()
  const { out } = await type('carrier', 'test', 'Simulator', '--to', '+9779800000001')
  assert.match(out, /^connection 1 \(transceiver\): connected since 2026-/m)
  assert.match(out, /^connection 1 enquire_link: response in [\d.]+ ms$/m)
  assert.match(out, /^message to \+9779800000001: accepted in [\d.]+ ms, status 0, ID s\S+$/m)
  assert.match(out, /^receipt: /m)
  await service.advance(60)
  await service.settle()
  const wire = (await type('carrier', 'capture-show', 'Simulator', id)).out
  assert.match(wire, /^\S+ 1 > \{.*"command":"submit_sm"/m)
  assert.match(wire, /^\S+ 1 < \{.*"command":"submit_sm_resp"/m)
  const file = Buffer.from((await type('carrier', 'capture-pcap', 'Simulator', id)).out, 'base64')
  assert.equal(file.readUInt32LE(0), 0xa1b2c3d4)
})

test('bulk commands require --yes', async () => {
  const client = await makeClient(service)
  const asked = ['message', 'cancel-all', client.workspaceId, '--client', client.id]
  const refused = await type(...asked)
  assert.equal(refused.code, 2)
  assert.match(refused.err, /--yes/)
  assert.deepEqual((await type(...asked, '--yes', '--json')).json(), { changed: 0, refused: 0, left: 0, next: null })
})

test('a key is replaced without an outage: add, list, revoke', async () => {
  const client = await makeClient(service, { name: 'Replaced key' })
  const works = async (apiKey: string) => (await getBalance(service, apiKey)).status === 200
  const added = await type('client', 'key', 'add', 'Replaced key')
  assert.deepEqual([added.code, added.err], [0, 'Shown once: save apiKey now.'])
  const apiKey = /^apiKey +(\S+)$/m.exec(added.out)?.[1] ?? ''
  assert.deepEqual([await works(client.apiKey), await works(apiKey)], [true, true])
  const { items } = (await type('client', 'key', 'list', 'Replaced key', '--json')).json()
  const [newest, oldest] = items
  assert.equal(items.length, 2)
  assert.ok(apiKey.startsWith(newest.prefix) && client.apiKey.startsWith(oldest.prefix))
  const third = await type('client', 'key', 'add', client.id)
  assert.deepEqual([third.code, third.err], [1, 'The client has two active API keys; revoke one first (key_limit)'])
  assert.equal((await type('client', 'key', 'revoke', 'Replaced key', oldest.id)).out, 'Done.')
  assert.deepEqual([await works(client.apiKey), await works(apiKey)], [false, true])
  const last = await type('client', 'key', 'revoke', client.id, newest.id)
  assert.equal(last.code, 1)
  assert.match(last.err, /^The last active key cannot be revoked; rotate the key or disable the client \(conflict\)$/)
})

test('help shows the commands of a subject of two words', async () => {
  const { out } = await type('help', 'client', 'key')
  assert.match(out, /^ {2}client key add <client>/)
  assert.ok(!out.includes('client show'))
  assert.equal((await type('client', 'key', '--help')).out, out)
  assert.match((await type('client', 'key', 'add', '--help')).out, /^Add an API key\./)
})

/** Filled only by the fraud guard, which needs many OTPs. */
const GUARD_LISTS = ['client fraud-events', 'code fraud-events', 'code fraud-events-all']

test('every column of a list is a field of its items', async () => {
  const client = await makeClient(service, { webhookUrl: 'https://localhost:9/hook' })
  const { workspaceId: workspace } = client
  await client.send({ to: '+9779800000007' })
  await client.send({ to: 'nobody' })
  await client.otp({ to: '+9779800000001' })
  await service.settle()
  await until(async () => (await type('request', 'list', workspace, '--json')).json().items.length > 0)
  await type('template', 'submit', workspace, 'Order', 'Order {{number}}', '--type', 'transactional')
  await type('owner-token', 'create', workspace, 'Sita')
  await type('allowlist', 'add', client.id, '+97798510')
  await type('operator-token', 'create', 'Terraform')
  await type('operator', 'invite')
  await type('member', 'invite', workspace, 'guest@example.com', 'viewer')
  for (const at of [{}, { workspaceId: workspace }]) await makePerson(service, at)
  await type('carrier', 'test', 'Simulator')
  await type('carrier', 'capture', 'Simulator', '--seconds', '1')
  await service.db.query(sql`
    insert into unmatched_receipt (carrier_id, id, reference, to_number, state, code, raw, received_at)
    select id, ${ABSENT}, 'x1', '+9779800000001', 'DELIVRD', '000', 'id:x1', ${service.clock.now()} from carrier
    where name = 'Simulator'`)
  const made = { kind: 'client', name: 'Himal app', carrier: 'Simulator', q: '+9779800000007' }
  const things: Record<string, string> = { workspace, client: client.id, ...made }
  const lists = COMMANDS.filter(({ name, columns }) => columns && !GUARD_LISTS.includes(name))
  for (const command of lists) {
    const ids = command.positionals.map((id) => things[id] ?? '')
    const { items } = (await type(...command.name.split(' '), ...ids, '--json')).json()
    assert.ok(items.length > 0, `${command.name} has nothing to show`)
    const row = command.row?.(items[0]) ?? items[0]
    for (const column of command.columns ?? []) assert.ok(column in row, `${command.name} has no ${column}`)
  }
})

test('lists over all workspaces fit in 80 columns, and can be filtered by the name of a workspace', async () => {
  const workspaceId = await makeWorkspace(service, { name: 'Everest Air' })
  const client = await makeClient(service, { workspaceId, webhookUrl: 'https://localhost:9/hook' })
  await client.otp({ to: '+9779800000001' })
  await service.settle()
  const filter = ['--workspace', 'Everest Air']
  const lists: [command: string, options: string[]][] = [
    ['message list-all', filter],
    ['webhook events-all', filter],
    ['webhook endpoints-all', filter],
    ['code workspaces', []],
  ]
  for (const [command, options] of lists) {
    const typed = [...command.split(' '), ...options]
    const { code, out } = await typist(service.url, { width: 80 })(...typed)
    assert.equal(code, 0)
    assert.match(out, /Everest Air/)
    for (const line of out.split('\n')) assert.ok(line.length <= 80, `${command}: ${line}`)
    const { items } = (await type(...typed, '--json')).json()
    const isOfEverest = (it: { workspaceName: string }) => it.workspaceName === 'Everest Air'
    assert.ok(options.length === 0 || items.every(isOfEverest), command)
  }
})

test('options set their fields: lists, numbers, flags, hours, objects, files and none', async () => {
  const { id, workspaceId } = await makeClient(service)
  const restricted = await type(
    ...[
      'client',
      'change',
      id,
      '--daily-cap',
      '7',
      '--ip-allowlist',
      '127.0.0.1, 10.0.0.0/8',
      '--pumping-guard',
      'block',
    ],
    '--json',
  )
  assert.equal(restricted.code, 0, restricted.err)
  const { dailyCap, ipAllowlist, pumpingGuard } = restricted.json().restrictions
  assert.deepEqual([dailyCap, ipAllowlist, pumpingGuard], [7, ['127.0.0.1', '10.0.0.0/8'], 'block'])
  const lifted = await type('client', 'change', id, '--daily-cap', 'none', '--ip-allowlist', 'none', '--json')
  assert.deepEqual([lifted.json().restrictions.dailyCap, lifted.json().restrictions.ipAllowlist], [null, null])
  assert.equal(lifted.json().restrictions.pumpingGuard, 'block')

  const open = await type('workspace', 'change', workspaceId, '--no-templates-required', '--rate-otp', '0.5', '--json')
  assert.deepEqual([open.json().templatesRequired, open.json().rate.otp], [false, 0.5])
  const country = await type('country', 'set', 'IN', 'India', 'live', '--quiet-hours', '21:00-09:00', '--json')
  assert.deepEqual(country.json().quietHours, { from: '21:00', to: '09:00' })
  assert.equal(
    (await type('country', 'set', 'IN', 'India', 'off', '--quiet-hours', 'none', '--json')).json().quietHours,
    null,
  )

  const withFile = typist(service.url, { readFile: (name) => (name === 'secret.txt' ? 's3cret\nmore\n' : '') })
  const carrier = await withFile(
    ...['carrier', 'add', 'Everest', '--host', '127.0.0.1', '--port', '9', '--system-id', 'himal', '--no-enabled'],
    ...['--password-file', 'secret.txt', '--id-format', '{"answers": "hex", "reports": "decimal"}', '--json'],
  )
  assert.equal(carrier.code, 0, carrier.err)
  assert.deepEqual(carrier.json().idFormat, { answers: 'hex', reports: 'decimal' })
  assert.doesNotMatch(carrier.out, /s3cret/)
  const [certificate, key] = ['cert', 'key'].map((it) =>
    readFileSync(`test/webhooks/certificates/receiver.${it}.pem`, 'utf8'),
  )
  const files: Record<string, string> = {
    'own.pem': certificate ?? '',
    'own.key': key ?? '',
    'tlvs.json': '[{"tag": "0x1400", "value": "x"}]',
  }
  const changed = await typist(service.url, { readFile: (name) => files[name] ?? '' })(
    ...['carrier', 'change', carrier.json().id, '--receipts', 'one', '--reference-bits', '16', '--tlvs', '@tlvs.json'],
    ...['--other-hosts', '[{"host": "smpp2.example", "port": 2776}]', '--allowed-senders', 'MYBANK,31000'],
    ...['--tls-certificate', 'own.pem', '--tls-key', 'own.key', '--json'],
  )
  assert.equal(changed.code, 0, changed.err)
  const { smpp, hasTlsKey } = changed.json()
  assert.deepEqual([smpp.receipts, smpp.referenceBits, smpp.tlvs[0].tag, hasTlsKey], ['one', 16, '0x1400', true])
  assert.deepEqual([smpp.otherHosts[0].port, smpp.allowedSenders], [2776, ['MYBANK', '31000']])
  assert.doesNotMatch(changed.out, /PRIVATE/)
  const removed = await type('carrier', 'remove', carrier.json().id)
  assert.deepEqual([removed.code, removed.out], [0, 'Done.'])
})

test('a short page is filled from the next pages', async (context) => {
  const asked: string[] = []
  const pages: Record<string, [items: string[], next: string | null]> = {
    start: [['m9'], 'a'],
    a: [[], 'b'],
    b: [['m5', 'm4'], 'c'],
    c: [[], null],
  }
  const url = await pretendAnswers(context, (_path, query) => {
    const cursor = query.get('cursor') ?? 'start'
    asked.push(`${cursor} ${query.get('limit')} ${query.get('status')}`)
    const [ids = [], next = null] = pages[cursor] ?? []
    return [200, JSON.stringify({ items: ids.map((id) => ({ id })), next })]
  })
  const type = typist(url)
  const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id)
  const workspace = '01981d3e-0000-7000-8000-000000000001'
  const some = (await type('message', 'list', workspace, '--status', 'queued', '--limit', '3', '--json')).json()
  assert.deepEqual([idsOf(some), some.next], [['m9', 'm5', 'm4'], 'c'])
  assert.deepEqual(asked, ['start 3 queued', 'a 2 queued', 'b 2 queued'])
  const all = (await type('message', 'list', workspace, '--json')).json()
  assert.deepEqual([idsOf(all), all.next], [['m9', 'm5', 'm4'], null])
})

test('a list prints its cursor, and --all follows it to the end', async () => {
  const workspace = await makeWorkspace(service)
  for (const name of ['One', 'Two', 'Three']) await type('owner-token', 'create', workspace, name)
  const page = await type('owner-token', 'list', workspace, '--limit', '2')
  assert.deepEqual([page.code, page.out.split('\n').length], [0, 3])
  const cursor = /--cursor (\S+),/.exec(page.err)?.[1] ?? ''
  assert.match((await type('owner-token', 'list', workspace, '--limit', '2', '--cursor', cursor)).out, /One/)
  const all = await type('owner-token', 'list', workspace, '--limit', '1', '--all', '--json')
  assert.deepEqual(
    all.json().items.map(({ name }: { name: string }) => name),
    ['Three', 'Two', 'One'],
  )
  assert.equal((await type('client', 'list', workspace)).out, 'No results.')
})

test('a top-up repeated with its idempotency key is booked once', async () => {
  const workspace = await makeWorkspace(service, { monthlyCredit: 0 })
  const again = ['credit', 'add', workspace, '12.5', '--note', 'Invoice 1', '--idempotency-key', 'invoice-1']
  assert.match((await type(...again)).out, /12\.5/)
  assert.match((await type(...again)).out, /12\.5/)
  assert.equal((await type('workspace', 'show', workspace, '--json')).json().balance, 12.5)
  const other = await type('credit', 'add', workspace, '13', '--idempotency-key', 'invoice-1')
  assert.equal(other.code, 1)
  assert.match(other.err, /\(idempotency_conflict\)$/)
})

test('credit commands show what changed, and the ledger shows charges as negative', async () => {
  const workspaceId = await makeWorkspace(service, { name: 'Kantipur Bank', monthlyCredit: 0 })
  const client = await makeClient(service, { workspaceId })
  const fields = ({ out }: { out: string }) => out.split('\n').map((line) => line.split(' ')[0]?.split('.')[0])
  const added = await type('credit', 'add', 'Kantipur Bank', '10')
  assert.equal(added.out, "balance  10\nexpires  at the end of the workspace's month")
  const changes = [
    ['creditRequest', 'request', '500'],
    ['creditRequest', 'withdraw'],
    ['creditRequest', 'request', '700'],
    ['creditRequest', 'decline'],
    ['creditAlerts', 'alerts', '5'],
  ]
  for (const [changed = '', command = '', ...words] of changes) {
    const done = await type('credit', command, 'Kantipur Bank', ...words)
    assert.equal(done.code, 0, done.err)
    assert.deepEqual([...new Set(fields(done))], ['name', 'balance', 'currency', changed], command)
  }
  await client.send({ to: '+9779800000001' })
  const { items } = (await type('credit', 'list', workspaceId, '--json')).json()
  assert.deepEqual([items[0].kind, items[0].amount], ['reservation', 1.5])
  const { out } = await typist(service.url, { width: 80 })('credit', 'list', workspaceId)
  assert.match(out, /reservation +-1\.5 +8\.5/)
  assert.match(out, /topUp +10 +10/)
})

test('a negative amount is refused before a request', async () => {
  const nowhere = typist('http://127.0.0.1:9')
  for (const words of [['-5'], ['-.5']]) {
    const { code, err } = await nowhere('credit', 'add', ABSENT, ...words)
    assert.deepEqual([code, err], [2, `amount must be greater than zero, not '${words.at(-1)}'.`])
  }
  const { err } = await nowhere('credit', 'add', ABSENT, '500', '--note', '-5 % for March')
  assert.match(err, /Write a value that begins with a dash as --option=-value/)
})

test('names the required role in a 404 of a role without access', async () => {
  const workspaceId = await makeWorkspace(service, { name: 'Gandaki Bank' })
  const tokenOf = async (role: string) =>
    (await type('owner-token', 'create', workspaceId, role, '--role', role, '--json')).json().token
  const [owner, viewer] = await Promise.all(['owner', 'viewer'].map(tokenOf))
  const as = (token: string) => typist(service.url, { tokenFor: () => token })
  for (const command of [
    ['credit', 'add', '5'],
    ['workspace', 'list'],
  ]) {
    const { code, err } = await as(owner)(...command)
    assert.deepEqual(
      [code, err],
      [3, 'Not found (not_found)\nOnly operators can do this, and this token is of an owner.'],
    )
  }
  const viewed = await as(viewer)('credit', 'request', '5')
  assert.match(viewed.err, /^Only owners can do this, and this token is of a viewer\.$/m)
  const absent = ['client', 'show', ABSENT]
  for (const absence of [await as(owner)(...absent), await type(...absent), await type('credit', 'add', ABSENT, '5')])
    assert.deepEqual([absence.code, absence.err], [3, 'Not found (not_found)'])
  const json = await as(owner)('workspace', 'list', '--json')
  assert.deepEqual(JSON.parse(json.err), { error: 'Not found', code: 'not_found' })
})

test('an export to a file says how much it wrote', async () => {
  const workspaceId = await makeWorkspace(service)
  let size = 0
  const writing = typist(service.url, {
    writeFile: async (_name, pieces) => {
      for await (const piece of pieces) size += piece.length
    },
  })
  const words = ['ledger', 'export', workspaceId, '--output', 'ledger.csv']
  const written = await writing(...words)
  assert.ok(size > 0 && size < 1000)
  assert.deepEqual([written.code, written.out, written.err], [0, '', `Wrote ${size} bytes to ledger.csv.`])
  assert.deepEqual([(await writing(...words, '--json')).err], [''])
})

test('an export of a million bytes groups the digits of their number', async (context) => {
  const url = await pretend(context, (_request, response) => void response.end('x'.repeat(1_234_567)))
  const writing = typist(url, {
    writeFile: async (_name, pieces) => {
      for await (const _ of pieces);
    },
  })
  const { err } = await writing('ledger', 'export', ABSENT, '--output', 'ledger.csv')
  assert.equal(err, 'Wrote 1 234 567 bytes to ledger.csv.')
})

test('a top-up with an unknown outcome prints the idempotency key to repeat it', async (context) => {
  const keys: unknown[] = []
  const ends: ((response: ServerResponse) => void)[] = [
    (response) => response.destroy(),
    (response) => response.writeHead(500).end('{"error":"Something went wrong","code":"server_error"}'),
    () => stop.abort(),
  ]
  const stop = new AbortController()
  const url = await pretend(context, (request, response) => {
    keys.push(request.headers['idempotency-key'])
    ends[keys.length - 1]?.(response)
  })
  const credit = typist(url, { signal: stop.signal })
  for (const _ of ends) {
    const { code, err } = await credit('credit', 'add', ABSENT, '5')
    assert.equal(code, 5)
    assert.match(
      err,
      /The top-up may be booked\. Repeat the command within 24 hours with --idempotency-key a-key-of-the-tests: it takes effect once/,
    )
  }
  assert.equal((await credit('credit', 'add', ABSENT, '5', '--idempotency-key', 'कुञ्जी')).code, 2)
  assert.deepEqual(
    keys,
    ends.map(() => 'a-key-of-the-tests'),
  )
})

test('exit codes 1, 3, 4 and 5 distinguish errors', async () => {
  const refused = await type('workspace', 'create', 'X', '--country', 'Nepal', '--monthly-credit', '1', ...RATES)
  assert.deepEqual([refused.code, refused.out], [1, ''])
  assert.match(refused.err, /\(invalid_request\)\n {2}country: Must be an ISO 3166-1 alpha-2 code/)
  assert.equal((await type('client', 'show', ABSENT)).code, 3)
  const stranger = await typist(service.url, { tokenFor: () => 'wrong' })('service', 'show')
  assert.equal(stranger.code, 4)
  assert.match(stranger.err, /--token-file, HULAKI_TOKEN/)
  assert.equal((await typist(service.url, { tokenFor: () => null })('service', 'show')).code, 4)
  const nobody = await typist(`http://127.0.0.1:${await freePort()}`)('service', 'show')
  assert.equal(nobody.code, 5)
  assert.match(
    nobody.err,
    /does not respond .*\nIs it running\? 'npm start' .*, bin\/hulaki-server .*HULAKI_URL or PORT/,
  )
})

test('exit code 5 for a response that is not from Hulaki', async (context) => {
  const answers = new Map<string, [number, string]>([
    ['/routes', [301, '']],
    ['/service', [200, '<html>Welcome</html>']],
    ['/workspaces', [200, '{}']],
    ['/carriers', [200, '']],
    ['/countries', [404, 'Not here']],
  ])
  const type = typist(await pretendAnswers(context, (path) => answers.get(path)))
  for (const kind of ['route', 'workspace', 'carrier', 'country']) {
    const { code, out, err } = await type(kind, 'list')
    assert.deepEqual([code, out], [5, ''], kind)
    assert.match(err, /^Unexpected response from .* Is it a Hulaki service\?$/)
  }
  assert.equal((await type('service', 'show')).code, 5)
  assert.equal((await type('workspace', 'list', '--all')).code, 5)
  assert.equal((await type('doctor')).code, 5)
})

test('control characters of a response never reach the terminal', async (context) => {
  const refusal = {
    error: 'No\u001b[2J',
    code: 'odd\u009b31m',
    details: [{}, null, { path: ['a\u001b'], message: 'b\u202e' }],
  }
  const answer = { 'field\u001b': 'x' }
  const type = typist(
    await pretendAnswers(context, (path) =>
      path === '/service' ? [200, JSON.stringify(answer)] : [400, JSON.stringify(refusal)],
    ),
  )
  const refused = await type('route', 'list')
  assert.equal(refused.code, 1)
  const shown = (await type('service', 'show')).out + refused.err
  assert.doesNotMatch(shown.replaceAll('\n', ''), /[\p{Cc}\u202e]/u)
  assert.equal(refused.err.split('\n').length, 2)
})

test('exit code 2 for an invalid command line, without a request', async () => {
  const files = new Map([
    ['empty', '\n'],
    ['binary', 'SECRET\u0000'],
  ])
  const nowhere = typist('http://127.0.0.1:9', {
    readFile: (name) => {
      const text = files.get(name)
      if (text === undefined) throw new Error(`no test has a file ${name}`)
      return text
    },
  })
  const wrong: [string[], RegExp][] = [
    [['frobnicate'], /Unknown command 'frobnicate'\. 'hulaki help' lists all commands/],
    [['client'], /Incomplete command 'client'[\s\S]*client rotate-key <client>/],
    [['client', 'key'], /^Incomplete command 'client key'\. Commands:\n {2}client key add <client>/],
    [['client', 'key', 'ad', ABSENT], /^Unknown command 'client key ad'\. Did you mean 'hulaki client key add'\?/],
    [['client', 'key', 'revoke', ABSENT], /^Usage: hulaki client key revoke <client> <key>/],
    [['client', 'show'], /Usage: hulaki client show <client>/],
    [['client', 'show', 'one', 'two'], /^Usage: /],
    [['client', 'change', ABSENT], /^Nothing to change\. Set at least one option\. Usage: hulaki client change/],
    [['client', 'change', ABSENT, '--daily-cap', 'many'], /daily-cap must be a number, not 'many'/],
    [['client', 'change', ABSENT, '--tls'], /Unknown option '--tls'/],
    [['clent', 'show', ABSENT], /Unknown command 'clent show'.* Did you mean 'hulaki client show'\?$/],
    [['lisen', ABSENT], /Did you mean 'hulaki listen'\?$/],
    [['client', 'shwo', ABSENT], /Unknown command 'client shwo'\. Did you mean 'hulaki client show'\?/],
    [['client', 'change', ABSENT, '--dayly-cap', '5'], /^Unknown option '--dayly-cap'\. Did you mean --daily-cap\?$/],
    [['archive', '--to', 'folder'], /^--before is required: First month that is not exported/],
    [['archive', '--before', '2026-01', '--to', ''], /^--to is required: Folder/],
    [['forget', '+9779841000001'], /^Nothing was changed. Repeat the command with --yes/],
    [['upgrade'], /^--check is required/],
    [['workspace', 'create', 'X', '--monthly-credit', '5', ...RATES], /--country is required: .*ISO 3166-1/],
    [
      ['message', 'list', ABSENT, '--status', 'faild'],
      /must be one of queued, .*, not 'faild'\. Did you mean failed\?$/,
    ],
    [['country', 'set', 'NP', 'Nepal', 'live', '--quiet-hours', 'night'], /hours like 20:00-08:00/],
    [['carrier', 'change', ABSENT, '--id-format', '{hex'], /id-format is not valid JSON: /],
    [['carrier', 'change', ABSENT, '--http', 'http.json'], /http must be JSON\. To read a file, write @http\.json/],
    [['service', 'show', '--url', 'ftp://example.com'], /must be a URL like http/],
    [['service', 'show', '--url', 'http://me:secret@localhost'], /must not contain a user/],
    [['listen'], /listen <client>/],
    [['doctor', 'now'], /^Usage: hulaki doctor$/],
    [['--json', 'service', 'show'], /Options come after the command/],
    [['help', 'nope'], /Unknown command 'nope'/],
    [['help', 'client', 'nope'], /Unknown command 'client nope'/],
    [['template', 'list', '..'], /'\.\.' is not a valid workspace/],
    [['client', 'show', ''], /'' is not a valid client/],
    [['client', 'change', ABSENT, '--ip-allowlist', ''], /comma-separated list, not ''. To remove it, write 'none'/],
    [['credit', 'add', ABSENT, '0x10'], /amount must be a number/],
    [['find', 'client', '-5'], /Unknown option '-5'. Write a value that begins with a dash/],
    [['service', 'show', '--token-file', '/nope'], /'\/nope' cannot be read: no test has a file/],
    [['service', 'show', '--token-file', 'empty'], /The first line of empty is empty/],
    [['service', 'show', '--token-file', 'binary'], /^The token contains an invalid character\.$/],
  ]
  for (const [words, message] of wrong) {
    const { code, out, err } = await nowhere(...words)
    assert.deepEqual([code, out], [2, ''], words.join(' '))
    assert.match(err, message)
  }
})

test('help works for all commands, one subject and one command, without a request', async () => {
  const nowhere = typist('http://127.0.0.1:9')
  assert.match((await nowhere()).out, /^hulaki <command>[\s\S]*carrier add <name>[\s\S]*5 {2}service not reachable/)
  assert.match((await nowhere('help', 'route')).out, /^ {2}route add[\s\S]*route remove[\s\S]*--token-file/)
  assert.deepEqual(await nowhere('route', '-h').then(({ code, out }) => [code, out.includes('route add')]), [0, true])
  assert.match((await nowhere('doctor', '--help')).out, /--url/)
  assert.match((await nowhere('help', 'client', 'show', '--json')).out, /hulaki client show <client>/)
  const one = await nowhere('credit', 'add', '--help')
  assert.deepEqual(one, { ...one, code: 0, err: '' })
  assert.match(one.out, /hulaki credit add <workspace> <amount> \[options\][\s\S]*--idempotency-key/)
})

test("an owner's token works in its workspace and can come from a file", async () => {
  const workspace = await makeWorkspace(service)
  const { token } = (await type('owner-token', 'create', workspace, 'Sita', '--json')).json()
  const owner = typist(service.url, {
    tokenFor: () => null,
    readFile: (name) => (name === 'owner.txt' ? `\ufeff${token}\r\nmore\n` : ''),
  })
  assert.equal((await owner('workspace', 'show', workspace, '--token-file', 'owner.txt')).code, 0)
  assert.equal((await owner('workspace', 'list', '--token-file', 'owner.txt')).code, 3)
  const examined = await owner('doctor', '--token-file', 'owner.txt')
  assert.equal(examined.code, 0)
  assert.match(examined.out, /authenticated as owner/)
})

test('doctor finds what blocks sending and prints the fix', async () => {
  await makeWorkspace(service, { name: 'Poor Shop', monthlyCredit: 0 })
  const sound = await type('doctor')
  assert.equal(sound.code, 0, sound.out)
  assert.match(sound.out, /^ok {4}carrier Simulator connected: 1 of 1 connections$/m)
  assert.match(
    sound.out,
    /^warn {2}Workspace Poor Shop has no credit: its messages are rejected\. Next: add credit \(hulaki credit add \S+ <amount>\)\.$/m,
  )

  await service.manage('PATCH', '/service', { smsEnabled: false })
  const { id } = (await service.manage('GET', '/carriers')).body.items[0]
  await service.manage('PATCH', `/carriers/${id}`, { enabled: false })
  const found = await type('doctor', '--json')
  await service.manage('PATCH', '/service', { smsEnabled: true })
  await service.manage('PATCH', `/carriers/${id}`, { enabled: true })
  assert.equal(found.code, 1)
  const { ok, findings, verdict, incidents } = found.json()
  assert.deepEqual([ok, verdict], [false, 'outage'])
  assert.equal(incidents[0].code, 'sending_off')
  const errors = findings.filter(({ state }: { state: string }) => state === 'error')
  assert.deepEqual(
    errors.map(({ what }: { what: string }) => what),
    [
      'Sending is paused: new send requests of all workspaces are rejected. Next: resume sending (hulaki service change --sms-enabled).',
      `Nepal cannot be reached: its carriers are disabled. Next: enable the carrier (hulaki carrier change ${id} --enabled), or add a route to another carrier (hulaki route add NP <carrier>).`,
    ],
  )
  assert.equal((await typist(service.url, { tokenFor: () => 'wrong' })('doctor')).code, 1)
  assert.equal((await typist('http://127.0.0.1:9')('doctor')).code, 5)
})

test('doctor shows the findings of the service, and its own: clocks, readiness, outages', async (context) => {
  const findings = [{ state: 'ok', code: 'sending_on', what: 'sending enabled', about: null }]
  const incidents = [
    {
      severity: 'degraded',
      code: 'carrier_in_part',
      what: 'Carrier Up is partly connected: 1 of 2 connections (no\u001b[2J).',
      about: null,
    },
    {
      severity: 'outage',
      code: 'no_carrier',
      what: 'The service has no carrier: nothing can be sent. Next: add a carrier (hulaki carrier add).',
      about: null,
    },
  ]
  let unready: string | null = null
  let outage = false
  const url = await pretendAnswers(context, (path) => {
    if (path === '/livez') return [200, '{"status":"ok"}']
    if (path === '/readyz') return unready ? [503, JSON.stringify({ reason: unready })] : [200, '{}']
    if (outage) return [503, '{"error":"Away","code":"unavailable"}']
    return path === '/doctor' ? [200, JSON.stringify({ ok: false, verdict: 'outage', incidents, findings })] : undefined
  })
  const inAnHour = new Date(Date.now() + 3_600_000)
  const found = await typist(url, { now: () => inAnHour })('doctor')
  assert.equal(found.code, 1)
  assert.deepEqual(found.out.split('\n').slice(3), [
    'ok    authenticated as operator',
    'ok    sending enabled',
    'warn  Carrier Up is partly connected: 1 of 2 connections (no\ufffd[2J).',
    'FAIL  The service has no carrier: nothing can be sent. Next: add a carrier (hulaki carrier add).',
  ])
  assert.match(found.out.split('\n')[2] ?? '', /^warn {2}the clocks of the two machines differ by 3\d\d\d s/)
  incidents.pop()
  assert.equal((await typist(url)('doctor')).code, 0)
  outage = true
  const away = await typist(url)('doctor')
  assert.deepEqual([away.code, away.err], [5, 'Away (unavailable)'])
  unready = 'it starts'
  const starting = await typist(url)('doctor')
  assert.deepEqual([starting.code, starting.out.split('\n').length], [1, 2])
  assert.match(starting.out, /FAIL {2}service not ready: it starts$/)
})

test('listen waits for an unreachable service and reports it once', async (context) => {
  let polls = 0
  const url = await pretendAnswers(context, (path) => {
    if (!path.endsWith('/webhook-deliveries')) return [200, '{"webhookUrl":null}']
    polls += 1
    if (polls === 2 || polls === 3) return [503, '{"error":"Away","code":"unavailable"}']
    return [200, JSON.stringify({ items: polls < 4 ? [] : [{ id: 'one', state: 'failed' }], next: null })]
  })
  const stop = new AbortController()
  const printed: string[] = []
  const listened = await typist(url, {
    signal: stop.signal,
    err: (line) => printed.push(line),
    out: (line) => {
      printed.push(line)
      stop.abort()
    },
  })('listen', ABSENT, '--json')
  assert.equal(listened.code, 0)
  assert.deepEqual(printed, [
    'This client has no webhook URL, so no events are created. Use --forward-to to receive events without one.',
    '{"error":"Away","code":"no_answer"}',
    '{"id":"one","state":"failed"}',
  ])
})

test('listen prints each new event when it is created and when it is final', async (context) => {
  const printedFirst = Promise.withResolvers<void>()
  const endpoint = await startEndpoint(
    context,
    listener(async (response) => {
      await printedFirst.promise
      response.writeHead(204).end()
    }),
  )
  const { id } = await makeClient(service, { webhookUrl: `https://localhost:${endpoint.port}/hook` })
  await service.manage('POST', `/clients/${id}/test-event`)
  const stop = new AbortController()
  const listening = Promise.withResolvers<void>()
  const printedFinal = Promise.withResolvers<void>()
  const printed: string[] = []
  const listens = typist(service.url, {
    signal: stop.signal,
    err: () => listening.resolve(),
    out: (line) => {
      printed.push(line)
      if (printed.length === 1) printedFirst.resolve()
      else printedFinal.resolve()
    },
  })('listen', id)
  await listening.promise
  const { body } = await service.manage('POST', `/clients/${id}/test-event`)
  await printedFinal.promise
  stop.abort()
  assert.equal((await listens).code, 0)
  const lastWords = printed.map((line) => /(\w+) {2}(\S+)$/.exec(line)?.slice(1).join(' '))
  assert.deepEqual(lastWords, [`pending ${body.id}`, `delivered ${body.id}`])
  assert.equal((await type('listen', ABSENT)).code, 3)
})

test('listen misses and repeats no event, however many occur between two polls', async (context) => {
  const all: { id: string; state: string }[] = []
  const happen = (many: number) => {
    for (let made = 0; made < many; made++)
      all.unshift({ id: `e${String(all.length).padStart(6, '0')}`, state: 'pending' })
  }
  happen(450)
  let polls = 0
  const url = await pretendAnswers(context, (path, query) => {
    if (!path.endsWith('/webhook-deliveries')) return [200, '{"webhookUrl":"https://example.com"}']
    const cursor = query.get('cursor')
    if (cursor === null) {
      polls += 1
      if (polls === 2) happen(1500)
      if (polls === 3) for (const event of all.slice(0, 300)) event.state = 'delivered'
    }
    const from = cursor === null ? 0 : all.findIndex(({ id }) => id === cursor) + 1
    const items = all.slice(from, from + 200).map((event) => ({ ...event, event: 'message.status' }))
    return [200, JSON.stringify({ items, next: from + 200 < all.length ? items.at(-1)?.id : null })]
  })
  const stop = new AbortController()
  const printed: string[] = []
  const finished = until(() => polls >= 4)
  const listens = typist(url, { signal: stop.signal, out: (line) => printed.push(line) })('listen', ABSENT, '--json')
  await finished
  stop.abort()
  await listens
  const states = printed.map((line) => JSON.parse(line)).map(({ id, state }) => `${id} ${state}`)
  assert.equal(new Set(states).size, states.length)
  assert.equal(states.filter((line) => line.endsWith('pending')).length, 1500)
  assert.equal(states.filter((line) => line.endsWith('delivered')).length, 300)
  assert.equal(states[0], 'e000450 pending')
})

test('--version prints the version', async () => {
  const { code, out } = await typist('http://127.0.0.1:9')('--version')
  assert.deepEqual([code, out], [0, 'hulaki 1.2.3'])
})

test('--json prints every error as one line of JSON on standard error', async () => {
  const error = async (type: ReturnType<typeof typist>, ...words: string[]) => {
    const { code, out, err } = await type(...words, '--json')
    assert.equal(out, '')
    return [code, JSON.parse(err)]
  }
  const [code, refused] = await error(type, 'country', 'set', 'XX', 'Nowhere', 'live')
  assert.deepEqual([code, refused.code, refused.details[0].path], [1, 'invalid_request', ['code']])
  assert.deepEqual(await error(type, 'client', 'show', ABSENT), [3, { error: 'Not found', code: 'not_found' }])
  const nowhere = typist('http://127.0.0.1:9')
  const [away, unanswered] = await error(nowhere, 'service', 'show')
  assert.deepEqual([away, unanswered.code], [5, 'no_answer'])
  assert.match(unanswered.error, /does not respond/)
  for (const words of [['client', 'show'], ['frobnicate'], ['service', 'show', '--what'], ['listen']]) {
    const [wrong, printed] = await error(nowhere, ...words)
    assert.deepEqual([wrong, printed.code], [2, 'usage'], words.join(' '))
  }
})

test('a unique name works like an ID; otherwise the candidates are listed', async () => {
  const workspaces = ['Lumbini Air', 'Pokhara Air']
  const [one = '', other = ''] = await Promise.all(workspaces.map((name) => makeWorkspace(service, { name })))
  const shop = await makeClient(service, { workspaceId: one, name: 'Ticket shop' })
  assert.equal((await type('workspace', 'show', 'Lumbini Air', '--json')).json().id, one)
  assert.equal((await type('client', 'show', 'Ticket shop', '--json')).json().id, shop.id)
  const absent = await type('client', 'show', 'Ticket')
  assert.deepEqual(
    [absent.code, absent.err],
    [3, "No client named 'Ticket' (not_found)\n'hulaki client list <workspace>' lists all."],
  )
  const known = await makeClient(service, { workspaceId: other, name: 'Ticket shop' })
  const several = await type('client', 'show', 'Ticket shop')
  assert.equal(several.code, 1)
  for (const text of [shop.id, known.id, ...workspaces]) assert.ok(several.err.includes(text), several.err)
  // With a workspace, its own client is meant.
  await shop.send({ to: '+9779800000001' })
  const found = await type('message', 'list', 'Lumbini Air', '--client', 'Ticket shop', '--json')
  assert.equal(found.json().items[0].clientId, shop.id)
  await type('template', 'submit', 'Lumbini Air', 'Boarding', 'Gate {{gate}} is open', '--type', 'transactional')
  assert.equal((await type('template', 'approve', 'Boarding')).code, 0)
  const route = await type('route', 'add', 'BT', 'Simulator', '--json')
  assert.equal(route.code, 0, route.err)
  assert.equal((await type('route', 'remove', route.json().id)).code, 0)
  assert.match((await type('find', 'carrier', 'Simulator')).out, /Simulator/)
})

test('whoami shows the owner of the token, and owners can omit their workspace', async () => {
  assert.match((await type('whoami')).out, /^kind +operator$/m)
  const workspaceId = await makeWorkspace(service, { name: 'Annapurna Bank' })
  const { id } = await makeClient(service, { workspaceId, name: 'Teller' })
  const { token } = (await type('owner-token', 'create', workspaceId, 'Sita', '--json')).json()
  const owner = typist(service.url, { tokenFor: () => token })
  const who = (await owner('whoami')).out
  assert.match(who, /^kind +owner$/m)
  assert.match(who, /^token\.name +Sita$/m)
  assert.match(who, /^workspace\.name +Annapurna Bank$/m)
  assert.equal((await owner('client', 'list', '--json')).json().items[0].id, id)
  assert.equal((await owner('workspace', 'show', '--json')).json().id, workspaceId)
  const made = await owner('client', 'create', 'Web', '--brand-name', 'Annapurna', '--json')
  assert.equal(made.json().workspaceId, workspaceId, made.err)
  const operator = await type('client', 'list')
  assert.equal(operator.code, 2)
  assert.match(operator.err, /^Usage: hulaki client list <workspace>/)
})

test('messages are listed by national number and by several statuses, with the charge after refunds', async () => {
  const client = await makeClient(service)
  const tester = await makeClient(service, { workspaceId: client.workspaceId, mode: 'test' })
  await client.send({ to: '9800000001' })
  await client.send({ to: '9800000003' })
  await tester.send({ to: '9800000001' })
  await service.settle()
  const list = ['message', 'list', client.workspaceId]
  const statuses = async (...options: string[]) =>
    (await type(...list, ...options, '--json')).json().items.map((it: { status: string }) => it.status)
  assert.deepEqual(await statuses('--to', '9800000003'), ['failed'])
  assert.deepEqual(await statuses('--status', 'failed', '--status', 'test'), ['test', 'failed'])
  assert.deepEqual(await statuses('--status', 'failed,test'), ['test', 'failed'])
  const [title = '', ...rows] = (await type(...list)).out.split('\n')
  assert.match(title, /CHARGED$/)
  const charged = rows.map((row) => row.split(/ +/).at(-1))
  assert.deepEqual(charged, ['0', '0', '1.5'])
  const backwards = await type(...list, '--from-date', '2026-11-17', '--to-date', '2026-11-16')
  assert.equal(backwards.code, 1)
  assert.match(backwards.err, /The period ends before it begins/)
})

test('carriers are listed with their connections and their health', async () => {
  await service.settle()
  assert.match((await type('carrier', 'list')).out, /^\S+ +Simulator .* 1\/1 +working since 2026-\S+Z$/m)
  assert.equal((await type('carrier', 'show', 'Simulator', '--json')).json().health.state, 'working')
  assert.match((await type('carrier', 'show', 'Simulator')).out, /working/)
})

test('a country that is off can be removed', async () => {
  await type('country', 'set', 'BT', 'Bhutan', 'off')
  assert.equal((await type('country', 'remove', 'BT')).out, 'Done.')
  assert.equal((await type('country', 'show', 'BT')).code, 3)
})

test('a signal ends listen at once with 0, also during a request', async (context) => {
  for (const hangs of ['client', 'first look', 'later look', 'body']) {
    const hung = Promise.withResolvers<void>()
    let polls = 0
    const url = await pretend(context, ({ url = '' }, response) => {
      const isLook = url.includes('/webhook-deliveries')
      if (isLook) polls += 1
      const isHanging = { client: !isLook, 'first look': polls === 1, 'later look': polls === 2, body: polls === 2 }[
        hangs
      ]
      if (!isHanging) response.end(isLook ? '{"items":[],"next":null}' : '{"webhookUrl":"https://example.com"}')
      else {
        if (hangs === 'body') response.write('{"items":')
        hung.resolve()
      }
    })
    const stop = new AbortController()
    const listens = typist(url, { signal: stop.signal })('listen', ABSENT, '--json')
    await hung.promise
    stop.abort()
    const { code, out, err } = await listens
    assert.deepEqual([code, out, err], [0, '', ''], hangs)
  }
})
