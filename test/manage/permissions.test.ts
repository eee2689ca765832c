// Permissions: every route with every role and without one, by token and by cookie, compared with the tables of the reference.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { EVERY_ROLE, type Role } from '../../src/domain/people/permission.ts'
import { makeWorkspace } from '../harness/client.ts'
import { REFERENCE_PAGES } from '../harness/described-reference.ts'
import { dumpDatabase } from '../harness/dump-database.ts'
import { mountedRoutes } from '../harness/mounted-routes.ts'
import { type Browser, makePerson, type TestPerson } from '../harness/people.ts'
import { call, ownService } from '../harness/service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,simulator' } })
const { manage, url } = service
const workspaceId = await makeWorkspace(service)
const { routes } = await mountedRoutes(service.ports)

interface Row {
  call: string
  may: string[]
  fresh: boolean
  scope: string
}
const ROWS = documented()

/** Rows of the tables of calls: call, summary, roles, scope and command. */
function documented(): Row[] {
  const rows = readFileSync(REFERENCE_PAGES.reference, 'utf8').matchAll(
    /^\| `([A-Z]+ \/[^`]*)` \| [^|]* \| ([^|]*) \| (\w+) \|/gm,
  )
  return Array.from(rows, ([, call = '', roles = '', scope = '']) => {
    const [may = '', fresh] = roles.split('; ')
    return { call, may: may.split(', '), fresh: fresh === 'recent sign-in', scope }
  })
}

test('the reference lists every route with its roles, freshness and scope, and no other', () => {
  const mounted = routes.map(({ method, path, permission: { roles, fresh = false, scope } }) => ({
    call: `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    may: [...roles],
    fresh,
    scope,
  }))
  const byCall = (one: Row, other: Row) => one.call.localeCompare(other.call)
  assert.deepEqual(ROWS.toSorted(byCall), mounted.toSorted(byCall))
})

/** Uses an invalid id, so that an allowed call fails validation and changes nothing. */
async function ask(row: Row, headers: Record<string, string>) {
  const [method = '', path = ''] = row.call.split(' ')
  const asked = path.replaceAll(/\{\w+\}/g, 'no-id')
  // A body that is not an object is always rejected.
  const body = method === 'GET' ? undefined : '"nothing"'
  const answer = await call(`${url}/api/manage/v1${asked}`, { method, body, headers })
  return answer.status === 404
    ? 404
    : answer.status === 401
      ? 401
      : answer.body?.code === 'sign_in_again'
        ? 403
        : 'let in'
}

/** These calls have nothing to validate and take effect; other tests and the last test of this file cover them. */
const DOES_SOMETHING = [
  ...['DELETE /session', 'DELETE /sessions', 'DELETE /account/totp', 'POST /account/totp'],
  ...['POST /account/passkeys/options', 'POST /sign-in/passkey/options'],
  ...['GET /sign-in/provider', 'GET /sign-in/provider/back'],
]
const asked = ROWS.filter((row) => !DOES_SOMETHING.includes(row.call))

test('allows each route by token only for the roles of the table: 404 for others, 401 without a token', async () => {
  const tokens = new Map<Role, string>()
  for (const role of EVERY_ROLE) {
    const at = role === 'operator' ? '/operators/tokens' : `/workspaces/${workspaceId}/owner-tokens`
    const made = await manage('POST', at, { name: role, ...(role === 'operator' ? {} : { role }) })
    assert.match(made.body.token, new RegExp(`^hulaki_${role}_`))
    tokens.set(role, made.body.token)
  }
  for (const token of tokens.values()) await manage('GET', '/whoami', undefined, token)
  const before = await dumpDatabase(service.address)
  for (const row of asked) {
    for (const [role, token] of tokens) {
      if (row.may.includes('anybody')) continue
      const may = row.may.includes(role) && row.scope !== 'person'
      assert.equal(await ask(row, { authorization: `Bearer ${token}` }), may ? 'let in' : 404, `${role}: ${row.call}`)
    }
    const withNone = await ask(row, { origin: url })
    assert.equal(withNone, row.may.includes('anybody') ? 'let in' : 401, `nobody: ${row.call}`)
  }
  assert.equal(await dumpDatabase(service.address), before, 'nothing was done')
})

test('allows each route by cookie only for the roles of the table, and requires a recent sign-in only of them', async () => {
  const people = new Map<Role, TestPerson>()
  for (const role of EVERY_ROLE)
    people.set(role, await makePerson(service, role === 'operator' ? {} : { workspaceId, role }))
  const walk = async (isFresh: boolean) => {
    for (const row of asked) {
      if (row.may.includes('anybody')) continue
      for (const [role, { browser }] of people) {
        const expected = !row.may.includes(role) ? 404 : row.fresh && !isFresh ? 403 : 'let in'
        assert.equal(await ask(row, headersOf(browser)), expected, `${role}, fresh ${isFresh}: ${row.call}`)
      }
    }
  }
  const before = await dumpDatabase(service.address)
  await walk(true)
  assert.equal(await dumpDatabase(service.address), before, 'nothing was done')
  await service.advance(601)
  await walk(false)
})

function headersOf({ headers, cookie }: Browser): Record<string, string> {
  return { ...headers, cookie }
}

test('allows the routes of the own account for every signed-in person', async () => {
  for (const role of EVERY_ROLE) {
    const { browser } = await makePerson(service, role === 'operator' ? {} : { workspaceId, role })
    for (const path of ['/account/totp', '/account/passkeys/options'])
      assert.ok((await browser.ask('POST', path)).status < 300, `${role}: ${path}`)
    assert.equal((await browser.ask('DELETE', '/account/totp')).status, 204, role)
    assert.equal((await browser.ask('DELETE', '/sessions')).status, 200, role)
    assert.equal((await browser.ask('DELETE', '/session')).status, 204, role)
  }
})
