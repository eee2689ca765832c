// Acceptance of messages while no carrier works (D6, D40).
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NIL_UUID } from '../../src/domain/uuid.ts'
import { sql } from '../../src/store/database/sql.ts'
import { clientAt, makeClient } from '../harness/client.ts'
import { assertRefused } from '../harness/refused.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const AVOIDED = '0198f0a4-7c1e-7b52-9d0a-5b8e4a6f2c31'

describe('the backlog', () => {
  test('accepts 100 000 waiting messages for a destination without a working carrier, counted once a second (D6)', async () => {
    const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
    const client = await makeClient(service)
    const balance = async () => (await client.get('/sms/balance')).body.balance
    // In parts, because one insert of all rows can exceed the statement timeout on a busy machine.
    for (const [from, to] of [
      [1, 25_000],
      [25_001, 50_000],
      [50_001, 75_000],
      [75_001, 99_998],
    ])
      await service.db.query(sql`
        insert into delivery_queue (first_message_id, message_ids, destination, avoid_carrier_id, priority, workspace_id, client_id, due_at)
        select id, array[id], 'NP', case when n % 2 = 0 then ${NIL_UUID}::uuid else ${AVOIDED} end, 1, ${client.workspaceId},
          ${client.id}, ${service.clock.now()}
        from generate_series(${from}::int, ${to}::int) as n cross join lateral (select gen_random_uuid() as id where n > 0) as made`)
    await service.db.query(sql`
      insert into delivery_queue (first_message_id, message_ids, destination, avoid_carrier_id, priority, workspace_id, client_id, due_at)
      select id, array[id], 'NPX', ${NIL_UUID}, 1, ${client.workspaceId}, ${client.id}, ${service.clock.now()}
      from generate_series(1, 5) as n cross join lateral (select gen_random_uuid() as id where n > 0) as made`)
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.send()))
    assert.equal(answers.filter(({ status }) => status === 200).length, 2, 'those that found room, and no more')
    const refused = await client.send()
    assertRefused(refused, 503, 'unavailable')
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    assert.equal(await balance(), 1000 - 2 * 1.5)

    await service.db.query(sql`delete from delivery_queue where avoid_carrier_id = ${AVOIDED}`)
    assertRefused(await client.send(), 503, 'unavailable')
    await service.advance(1)
    await until(async () => (await client.send()).status === 200)
  })
})

describe('codes', () => {
  test('refuses an OTP without a charge if no carrier of its route has worked for 30 s (D40)', async () => {
    const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
    const client = await makeClient(service)
    let last = 9_840_000_000
    const sendCode = (own = client) => {
      last += 20_000
      return own.otp({ to: `+977${last}` })
    }
    const isBound = async (id: string) =>
      (await service.manage('GET', `/carriers/${id}`)).body.state[0].state === 'bound'

    assert.equal((await sendCode()).status, 200, 'in the first moments carriers may still be on their way')
    await service.advance(31)
    const refused = await sendCode()
    assertRefused(refused, 503, 'unavailable')
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    assert.equal((await client.get('/sms/balance')).body.balance, 1000 - 1.2)
    assert.equal((await client.send()).status, 200, 'other messages can wait')

    const smsc = await startSmsc()
    const carrierId = await addCarrier(service, smsc.port)
    await addRoute(service, carrierId)
    assert.equal((await sendCode()).status, 200, 'a carrier that was just added is given the same time')
    await until(() => isBound(carrierId))
    await service.advance(120)
    assert.equal((await sendCode()).status, 200)

    await smsc.close()
    await until(async () => !(await isBound(carrierId)))
    await service.advance(25)
    assert.equal((await sendCode()).status, 200)
    await service.advance(10)
    assertRefused(await sendCode(), 503, 'unavailable')

    const fresh = await ownService({ env: { HULAKI_ROLES: 'api' }, beside: service })
    assert.equal(
      (await sendCode(clientAt(fresh.url, client))).status,
      200,
      'a process that just started does not know yet',
    )

    const { port } = await startSmsc()
    await service.manage('PATCH', `/carriers/${carrierId}`, { port })
    await until(() => isBound(carrierId))
    assert.equal((await sendCode()).status, 200)
    await service.manage('PATCH', `/carriers/${carrierId}`, { enabled: false })
    await service.advance(31)
    assertRefused(await sendCode(), 503, 'unavailable')
  })
})
