// Every SMPP setting as read by Net::SMPP and Wireshark.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failOnRejection } from '../harness/background.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { judgeByWireshark, noNetSmpp, recordingProxy, runPerl } from '../smpp/foreign-peer.ts'
import { type Seen, USUAL_CARRIER } from './carrier-settings.ts'
import { prepareSender, runCases } from './carrier-settings-run.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })

test('Net::SMPP reads each setting as configured, and Wireshark finds no malformed PDU', {
  skip: noNetSmpp,
}, async (t) => {
  const smsc = runPerl(t, 'settings-smsc.pl')
  const { port } = await smsc.nextLine()
  const read: (Seen & Record<string, unknown>)[] = []
  failOnRejection(
    (async () => {
      for (let line = await smsc.nextLine(); 'command' in line; line = await smsc.nextLine()) read.push(line as never)
    })(),
  )
  const recorder = await recordingProxy(t, Number(port))
  const sender = await prepareSender(service)
  const carrierId = await addCarrier(service, recorder.port)
  await addRoute(service, carrierId)
  const seenBy = (end: string) =>
    read.filter(({ command, destination_addr }) => command === 'submit_sm' && destination_addr.endsWith(end))
  await runCases(service, { sender, carrierId, seenBy })

  const bind = { addressTon: 1, addressNpi: 1, addressRange: '^9779', receivers: 2, enquireSeconds: 1 }
  const smpp = { ...USUAL_CARRIER.smpp, ...bind, otherHosts: [{ host: '127.0.0.1', port: recorder.port }] }
  // No server listens at the first address.
  const change = { port: 1, systemType: 'VMA', bindMode: 'separate', smpp }
  assert.equal((await service.manage('PATCH', `/carriers/${carrierId}`, change)).status, 200)
  await service.settle()
  const separate = await until(() => {
    const binds = read.filter(({ command }) => /^bind_(transmitter|receiver)$/.test(String(command)))
    return binds.length === 3 && read.some(({ command }) => command === 'enquire_link') ? binds : null
  })
  const fields = { system_type: 'VMA', addr_ton: 1, addr_npi: 1, address_range: '^9779' }
  assert.deepEqual(
    separate.map(({ command, system_type, addr_ton, addr_npi, address_range }) => ({
      ...{ command, system_type, addr_ton, addr_npi, address_range },
    })),
    separate.map(({ command }) => ({ command, ...fields })),
  )
  const commands = separate.map(({ command }) => String(command)).sort()
  assert.deepEqual(commands, ['bind_receiver', 'bind_receiver', 'bind_transmitter'])
  await service.stop()
  judgeByWireshark(t, recorder.frames())
})
