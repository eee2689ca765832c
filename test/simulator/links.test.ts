// Binds to the simulator, and receipts whose receiver rejects them, disconnects or changes.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ManualClock } from '../../src/runtime/clock.ts'
import { createLog } from '../../src/runtime/log.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts'
import { BindError } from '../../src/smpp/closing.ts'
import { commandStatus } from '../../src/smpp/status.ts'
import { until } from '../harness/until.ts'
import { rawEsme } from '../smpp/raw-peer.ts'
import { bindTo, START, simulate } from './esme.ts'

test('rejects a bind with unknown credentials', async (t) => {
  const { simulator } = await simulate(t)
  const { ESME_RINVPASWD, ESME_RINVSYSID } = commandStatus
  const { systemId, password } = simulator.account
  const refused = (bind: object, status: number) =>
    assert.rejects(bindTo(t, simulator, { bind }), (error) => error instanceof BindError && error.status === status)
  await refused({ system_id: systemId, password: 'guess' }, ESME_RINVPASWD)
  await refused({ system_id: 'guest', password }, ESME_RINVSYSID)
  await refused({ system_id: 'simulator-other', password }, ESME_RINVSYSID)
  await bindTo(t, simulator)
})

test('retries a temporarily rejected receipt with growing waits until it is accepted', async (t) => {
  const { simulator, settle, advance } = await simulate(t)
  const statuses = [commandStatus.ESME_RX_T_APPN, commandStatus.ESME_RMSGQFUL]
  let came = 0
  const esme = await bindTo(t, simulator, { handlers: { deliver_sm: () => ({ status: statuses[came++] ?? 0 }) } })
  await esme.send('9779800000001')
  await settle()
  assert.equal(came, 1)
  await advance(5)
  assert.equal(came, 2)
  await advance(9)
  assert.equal(came, 2)
  await advance(1)
  assert.equal(came, 3)
  await advance(86_400)
  assert.equal(came, 3)
})

test('does not retry a permanently rejected receipt, and drops others after a day', async (t) => {
  const { simulator, advance } = await simulate(t)
  let came = 0
  const refuser = await bindTo(t, simulator, {
    handlers: { deliver_sm: () => ({ status: came++ === 0 ? commandStatus.ESME_RX_P_APPN : 0x64 }) },
  })
  await refuser.send('9779800000001')
  await advance(86_400)
  assert.equal(came, 1)
  await refuser.send('9779800000001')
  await advance(2 * 86_400)
  const whenGivenUp = came
  await advance(2 * 86_400)
  assert.equal(came, whenGivenUp)
})

test('receipts wait for the next receiver', async (t) => {
  const { simulator, settle, advance } = await simulate(t)
  const first = await bindTo(t, simulator)
  const id = await first.send('9779800000014')
  await first.session.drain()
  await advance(3600)
  const second = await bindTo(t, simulator)
  await until(() => second.received.length > 0)
  await settle()
  assert.deepEqual(second.receipts(), [`${id} DELIVRD`])
})

test('a receipt written on a broken link is sent again on another', async (t) => {
  const { simulator, settle, advance } = await simulate(t)
  const deaf = await bindTo(t, simulator, { handlers: { deliver_sm: () => undefined } })
  const id = await deaf.send('9779800000001')
  deaf.session.close()
  await settle()
  const esme = await bindTo(t, simulator)
  await advance(5)
  assert.deepEqual(esme.receipts(), [`${id} DELIVRD`])
})

test('a transmitter receives nothing; a receiver cannot submit and receives everything', async (t) => {
  const { simulator, settle } = await simulate(t)
  const transmitter = await bindTo(t, simulator, { bindName: 'bind_transmitter' })
  const receiver = await bindTo(t, simulator, { bindName: 'bind_receiver' })
  const id = await transmitter.send('9779800000001')
  assert.equal(await receiver.send('9779800000001'), commandStatus.ESME_RINVBNDSTS)
  await settle()
  assert.deepEqual([transmitter.receipts(), receiver.receipts()], [[], [`${id} DELIVRD`]])
})

test('a receipt returns on the link of its message', async (t) => {
  const { simulator, settle } = await simulate(t)
  const binds = [await bindTo(t, simulator), await bindTo(t, simulator)] as const
  for (let count = 0; count < 10; count++) await binds[0].send('9779800000001')
  await binds[1].send('9779800000001')
  await settle()
  assert.deepEqual(
    binds.map((bind) => bind.received.length),
    [10, 1],
  )
})

test('receivers of one account share the receipts of its transmitters', async (t) => {
  const { simulator, settle } = await simulate(t)
  const transmitter = await bindTo(t, simulator, { bindName: 'bind_transmitter' })
  const receivers = [
    await bindTo(t, simulator, { bindName: 'bind_receiver' }),
    await bindTo(t, simulator, { bindName: 'bind_receiver' }),
  ]
  for (let count = 0; count < 10; count++) await transmitter.send('9779800000001')
  await settle()
  assert.deepEqual(
    receivers.map((bind) => bind.received.length),
    [5, 5],
  )
})

test('each service has its own account, and a port in use is replaced and logged', async (t) => {
  const logged: string[] = []
  const { simulator } = await simulate(t, { systemId: 'simulator-abcde', password: 'xK3-9_aZ' })
  const { port } = simulator.account
  const log = createLog('info', { write: (line) => logged.push(line) })
  const clock = new ManualClock(START)
  const second = await startSimulator({ clock, random: systemRandom, log, settings: { port, httpPort: 0 } })
  t.after(() => second.stop())
  assert.notEqual(second.account.port, port)
  const { msg, ...fields } = JSON.parse(logged.join(''))
  assert.equal(fields.port, second.account.port)
  assert.equal(msg, `simulator port ${port} in use; using ${second.account.port}`)
  assert.equal(fields.err, undefined)
  const own = { system_id: 'simulator-abcde', password: 'hulaki' }
  await assert.rejects(bindTo(t, simulator, { bind: own }), /ESME_RINVPASWD/)
  await bindTo(t, simulator, { bind: { ...own, password: 'xK3-9_aZ' } })
})

test('receipts and replies wait for their client and never go to another account', async (t) => {
  const { simulator, settle, advance } = await simulate(t, { systemId: 'simulator-abcde' })
  const guest = await bindTo(t, simulator, { bind: { system_id: 'simulator', password: 'hulaki' } })
  const own = await bindTo(t, simulator)
  const id = await own.send('9779800000014')
  await own.send('9779800000007', { registered_delivery: 0 })
  await settle()
  assert.equal(own.received.length, 1, 'the reply')
  await own.session.drain()
  await advance(3600)
  assert.deepEqual(guest.received, [])
  const guestId = await guest.send('9779800000001')
  await settle()
  assert.deepEqual(guest.receipts(), [`${guestId} DELIVRD`])
  const again = await bindTo(t, simulator)
  await until(() => again.received.length > 0)
  await settle()
  assert.deepEqual(again.receipts(), [`${id} DELIVRD`])
  assert.equal(guest.received.length, 1)
})

test('invalid bytes close only their own link', async (t) => {
  const { simulator, settle } = await simulate(t)
  const esme = await bindTo(t, simulator)
  const stranger = await rawEsme(t, simulator.account.port)
  stranger.sendBytes(Buffer.from('GET / HTTP/1.1\r\nhost: simulator\r\n\r\n'))
  await stranger.ended()
  const unbound = await rawEsme(t, simulator.account.port)
  unbound.send({ command: 'submit_sm', sequence: 1, destination_addr: '9779800000001' })
  assert.equal((await unbound.next('submit_sm_resp')).status, commandStatus.ESME_RINVBNDSTS)
  const id = await esme.send('9779800000001')
  await settle()
  assert.deepEqual(esme.receipts(), [`${id} DELIVRD`])
})

test('listens on another port if its port is in use', async (t) => {
  const { simulator } = await simulate(t)
  const { simulator: other } = await simulate(t, { port: simulator.account.port })
  assert.notEqual(other.account.port, simulator.account.port)
  await bindTo(t, other)
})

test('stop unbinds bound clients, closes others and stops listening', async (t) => {
  const { simulator, advance } = await simulate(t)
  const { port } = simulator.account
  const esme = await bindTo(t, simulator)
  await esme.send('9779800000014')
  const unbound = await rawEsme(t, port)
  await simulator.stop()
  assert.equal((await esme.session.closed).reason, 'unbound')
  await unbound.ended()
  await advance(60)
  assert.deepEqual(esme.received, [])
  const [error] = await once(connect({ host: '127.0.0.1', port }), 'error')
  assert.equal(error.code, 'ECONNREFUSED')
})

const hasNetSmpp = spawnSync('perl', ['-MNet::SMPP', '-MJSON::PP', '-e', '1']).status === 0
const skip = hasNetSmpp ? false : "perl's Net::SMPP is not installed (Debian: libnet-smpp-perl)"

test('a Net::SMPP ESME binds, submits and reads its receipt', { skip }, async (t) => {
  const { simulator } = await simulate(t, { systemId: 'foreign', password: 'pw' })
  const [bound, taken, receipt] = await runForeignEsme(t, simulator)
  assert.deepEqual(bound, { system_id: 'hulaki' })
  assert.equal(taken.status, 0)
  assert.match(receipt.short_message, new RegExp(`^id:${taken.message_id} .* stat:DELIVRD err:000 text:from afar$`))
  assert.equal(simulator.handsets().items[0]?.text, 'from afar')
})

async function runForeignEsme(t: TestContext, simulator: Simulator) {
  const script = fileURLToPath(new URL('../smpp/fixtures/foreign-esme.pl', import.meta.url))
  const child = spawn('perl', [script, String(simulator.account.port)], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill())
  const lines = (await text(child.stdout)).trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line))
}
