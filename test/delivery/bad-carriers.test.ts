import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService, systemClock } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' }, clock: systemClock() })
const sender = await makeSender(service)

async function listen(onSocket: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onSocket(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  assert(address && typeof address === 'object')
  return address.port
}

const good = await startSmsc()
const mute = await startSmsc({ plan: () => ({ answer: 'never' }) })
const throttling = await startSmsc({ plan: () => ({ status: 0x58 }) })
const garbage = await listen((socket) => socket.write(randomBytes(4_000)))
const halfOpen = await listen(() => {})

await addRoute(service, await addCarrier(service, good.port))
for (const [prefix, port] of [
  ['+977961', mute.port],
  ['+977962', throttling.port],
  ['+977963', garbage],
  ['+977964', halfOpen],
] as const) {
  await addRoute(service, await addCarrier(service, port, { answerSeconds: 1 }), { prefixes: [prefix] })
}

const sendSome = (prefix: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const sent = await sender.send({ to: `${prefix}${String(index).padStart(7, '0')}` })
      assert.equal(sent.status, 200)
      return sent.body.messageId as string
    }),
  )

test('garbage, a half-open link, a silent and a throttling carrier do not affect the others', async () => {
  for (const prefix of ['961', '962', '963', '964']) await sendSome(prefix, 20)
  await until(() => mute.taken.length > 0 && throttling.taken.length > 0)
  const ids = await sendSome('984', 50)
  await until(async () => {
    const [row] = await service.db.query<{ n: number }>({
      text: `select count(*) as n from message where id = any($1) and status = 'delivered'`,
      values: [ids],
      name: undefined,
    })
    return row?.n === ids.length
  })
})

test('the state of each carrier names its problem', async () => {
  const { body } = await service.manage('GET', '/carriers')
  const broken = body.items.find((it: { port: number }) => it.port === garbage)
  await until(async () => {
    const { body: carrier } = await service.manage('GET', `/carriers/${broken.id}`)
    return carrier.state[0].lastError
  })
})

test('D15: messages of a silent carrier are not sent to it again', async () => {
  const numbers = mute.taken.map((it) => it.to)
  assert.equal(new Set(numbers).size, numbers.length)
})
