// CSV export of messages: complete, safe to open, and without delay for other workspaces (D43).
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { makeClient, makeOwner } from '../../harness/client.ts'
import { makePerson } from '../../harness/people.ts'
import { assertRefused } from '../../harness/refused.ts'
import { query } from '../../harness/server.ts'
import { OPERATOR_TOKEN, ownService } from '../../harness/service.ts'
import { until } from '../../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
const client = await makeClient(service)
const owner = await makeOwner(service, client.workspaceId)
const at = (id: string) => `/workspaces/${id}/messages.csv`

const first = await client.send({ to: '9841000001', text: 'Bill, "due"\nFriday', senderId: '=1+1' })
await service.advance(1)
const second = await client.send({ to: '9841000002', text: '=HYPERLINK("http://x")' })
await client.otp({ to: '9841000003' })

test('exports every message of the workspace with the filters of the list, newest first, without formulas', async () => {
  const { status, headers, body } = await service.manage('GET', at(client.workspaceId), undefined, owner.token)
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
  assert.equal(headers.get('content-disposition'), 'attachment; filename="messages-2026-11-16.csv"')
  const [head, code, formula, ...rest] = body.split('\r\n')
  assert.match(head, /^\ufeff?id,createdAt,clientId,to,from,/)
  assert.match(code, /,\+9779841000003,.*,\(OTP hidden\)$/)
  assert.ok(formula.startsWith(`${second.body.messageId},2026-11-16T04:00:01.`))
  assert.ok(formula.endsWith(`,"'=HYPERLINK(""http://x"")"`), formula)
  assert.ok(rest[0].startsWith(first.body.messageId))
  assert.ok(rest[0].includes(`,+9779841000001,'=1+1,`))
  assert.ok(rest.join('\r\n').endsWith(',"Bill, ""due""\nFriday"\r\n'))
  const rows = async (filter: string) =>
    (await service.manage('GET', `${at(client.workspaceId)}?${filter}`)).body.split('\r\n').length - 2
  assert.equal(await rows('type=otp'), 1)
  assert.equal(await rows('search=friday'), 1)
  assert.equal(await rows('status=failed'), 0)
  const refused = await service.manage('GET', `${at(client.workspaceId)}?from-date=2026-11-17&to-date=2026-11-16`)
  assertRefused(refused, 400, 'invalid_request', ['to-date'])
})

test('people get masked numbers; full ones need a recent sign-in and a role that may reveal, and are audited', async () => {
  const { workspaceId } = client
  const numbers = (csv: string) => csv.match(/\+977[\d•]+/g)?.at(-1)
  const developer = await makePerson(service, { workspaceId, role: 'developer' })
  const viewer = await makePerson(service, { workspaceId, role: 'viewer' })
  const revealed = `/workspaces/${workspaceId}/messages-revealed.csv`
  assert.equal(numbers((await developer.browser.ask('GET', at(workspaceId))).body), '+97798••••001')
  assertRefused(await viewer.browser.ask('GET', revealed), 404, 'not_found')
  const whole = await developer.browser.ask('GET', `${revealed}?type=transactional`)
  assert.equal(numbers(whole.body), '+9779841000001')
  await service.advance(11 * 60)
  assertRefused(await developer.browser.ask('GET', revealed), 403, 'sign_in_again')
  const { items } = (await service.manage('GET', `/workspaces/${workspaceId}/audit-log`)).body
  const exports = items.filter((it: { action: string }) => it.action === 'message.exported')
  assert.deepEqual(
    exports.map((it: { subject: string; actor: string }) => [it.subject, it.actor]),
    [[workspaceId, `developer:${developer.id}`]],
  )
})

/** More than a socket buffers without a reader, in a workspace of its own. */
async function stocked(messages: number) {
  const stock = await makeClient(service)
  await query(
    service.address,
    `insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4,
       status, created_at, updated_at)
     select ('0199a000-' || lpad(to_hex(n / 4096), 4, '0') || '-7' || lpad(to_hex(n % 4096), 3, '0') || '-8000-'
         || substr(md5('${stock.id}'), 1, 12))::uuid,
       '${stock.workspaceId}', '${stock.id}', '+9779800000000', 'NP', 'Shop', repeat('x', 900), 'transactional', 'GSM7', 6, 100,
       'delivered', '2025-10-01', '2025-10-01' from generate_series(0, ${messages - 1}) as n`,
  )
  return stock
}

test('exports every row once over several pages', async () => {
  const { workspaceId } = await stocked(2_500)
  const { body } = await service.manage('GET', at(workspaceId))
  const ids = body
    .split('\r\n')
    .slice(1, -1)
    .map((line: string) => line.slice(0, 36))
  assert.equal(ids.length, 2_500)
  assert.equal(new Set(ids).size, 2_500)
  assert.deepEqual(ids, ids.toSorted().reverse())
})

/** Starts an export and reads only its first bytes. */
async function stall(workspaceId: string, token: string) {
  const { port, hostname } = new URL(service.url)
  const slow = connect(Number(port), hostname)
  slow.write(
    `GET /api/manage/v1${at(workspaceId)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  )
  await new Promise((resolve) => slow.once('data', resolve))
  slow.pause()
  return slow
}

test('slow readers of some workspaces and a slow operator block no other reader (D43)', async () => {
  const slow = []
  for (let count = 0; count < 3; count++) {
    const { workspaceId } = await stocked(20_000)
    slow.push(await stall(workspaceId, (await makeOwner(service, workspaceId)).token))
    if (count === 2) slow.push(await stall(workspaceId, OPERATOR_TOKEN))
  }
  const exported = await service.manage('GET', at(client.workspaceId), undefined, owner.token)
  assert.equal(exported.status, 200)
  // The operator has one place for all workspaces.
  assertRefused(await service.manage('GET', at(client.workspaceId)), 429, 'rate_limited')
  for (const socket of slow) socket.destroy()
  await until(async () => (await service.manage('GET', at(client.workspaceId))).status === 200)
})

test('ends an export when its token is revoked (D67)', async () => {
  const { workspaceId } = await stocked(40_000)
  const { id, token } = await makeOwner(service, workspaceId)
  const slow = await stall(workspaceId, token)
  await service.manage('DELETE', `/workspaces/${workspaceId}/owner-tokens/${id}`)
  let end = ''
  slow.on('data', (piece) => {
    end = (end + piece).slice(-5)
  })
  slow.resume()
  await new Promise((resolve) => slow.once('close', resolve))
  assert.notEqual(end, '0\r\n\r\n', 'the last chunk of a whole answer did not come')
})

test('a slow reader holds neither a turn nor a connection, and gets no second export (D43)', async () => {
  const { workspaceId } = await stocked(40_000)
  const { token } = await makeOwner(service, workspaceId)
  const slow = await stall(workspaceId, token)
  assert.equal((await service.manage('GET', `/workspaces/${workspaceId}`, undefined, token)).status, 200)
  const refused = await service.manage('GET', at(workspaceId), undefined, token)
  assertRefused(refused, 429, 'rate_limited')
  const busy = async () => {
    const rows = await query(
      service.address,
      `select pid from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
    )
    return rows.length
  }
  await until(async () => (await busy()) === 0)
  slow.destroy()
  // After the reader has disconnected, a new export can start.
  await until(async () => {
    const answer = await fetch(`${service.url}/api/manage/v1${at(workspaceId)}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await answer.body?.cancel()
    return answer.status === 200
  })
})
