// Hosts and timeouts of the link to a Net::SMPP SMSC, timed by Wireshark.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { freePort } from '../harness/free-port.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { noNetSmpp } from '../smpp/foreign-peer.ts'
import { scriptedSmsc } from '../smpp/scripted-smsc.ts'
import { sniff } from '../smpp/sniffer.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const sender = await makeSender(service)
const skip = noNetSmpp
const SUBMIT_SM = 0x04
const BIND_TRANSCEIVER = 0x09
const ENQUIRE_LINK = 0x15

async function carrierOf(t: TestContext, port: number, settings: Record<string, unknown> = {}) {
  const id = await addCarrier(service, port, settings)
  t.after(() => service.manage('DELETE', `/carriers/${id}`))
  const bind = async () => {
    await service.settle()
    return (await service.manage('GET', `/carriers/${id}`)).body.state[0]
  }
  return { id, bind, bound: () => until(async () => ((await bind())?.state === 'bound' ? bind() : null)) }
}

const secondsBetween = (one: number | undefined, other: number | undefined) => Number(other) - Number(one)

test('otherHosts: tries the next host if one is down, rejects or is silent, always from the first', {
  skip,
}, async (t) => {
  const dead = await freePort()
  const refusing = await scriptedSmsc(t, { status: { bind_transceiver: 0x0d } })
  const silent = await scriptedSmsc(t, { silent: ['bind_transceiver'] })
  const last = await scriptedSmsc(t)
  const otherHosts = [refusing, silent, last].map(({ port }) => ({ host: '127.0.0.1', port }))
  const { bound } = await carrierOf(t, dead, { smpp: { otherHosts, bindSeconds: 1 } })
  assert.equal((await bound()).peer, `127.0.0.1:${last.port}`)
  for (const smsc of [refusing, silent, last]) assert.equal(smsc.of('bind_transceiver').length, 1)
  await until(() => silent.happened('closed').length === 1)

  // The first host is back. The open link stays; after it ends, the first host is tried first again.
  const first = await scriptedSmsc(t, { port: dead })
  assert.equal((await bound()).peer, `127.0.0.1:${last.port}`)
  last.say({ disconnect: 1 })
  await first.nth('bind_transceiver', 1)
  assert.equal((await bound()).peer, `127.0.0.1:${dead}`)
  assert.equal(refusing.of('bind_transceiver').length, 1, 'no host after the first success is tried')
})

test('binds: opens the configured number of transceivers, and a message uses one', { skip }, async (t) => {
  const smsc = await scriptedSmsc(t)
  const { id } = await carrierOf(t, smsc.port, { binds: 3 })
  const routeId = await addRoute(service, id)
  t.after(() => service.manage('DELETE', `/routes/${routeId}`))
  const { link } = await smsc.nth('bind_transceiver', 3)
  await sender.send({ to: '9841000009' })
  await service.settle()
  const taken = await smsc.nth('submit_sm', 1)
  assert(taken.link <= link)
  assert.equal(smsc.of('bind_transceiver').length, 3)
})

test('bindSeconds: closes a connection without a bind response', { skip }, async (t) => {
  const smsc = await scriptedSmsc(t, { silent: ['bind_transceiver'] })
  const record = await sniff(t, smsc.port)
  const { bind } = await carrierOf(t, smsc.port, { smpp: { bindSeconds: 2 } })
  await until(() => smsc.happened('closed').length === 1)
  assert.match(await until(async () => (await bind())?.lastError), /bind_timeout/)
  smsc.say({ silent: [] })
  await until(async () => (await bind())?.state === 'bound')
  if (!record) return
  const [bound] = await record.times(BIND_TRANSCEIVER, 1)
  const [ended] = await record.ends(1)
  assert(secondsBetween(bound, ended) > 1.9, 'not before')
  await record.judge()
})

test('connectSeconds: closes a connection without a TLS handshake', {
  skip,
}, async (t) => {
  const smsc = await scriptedSmsc(t)
  // It reads the TLS hello as the length of a PDU and waits for the rest.
  const { bind } = await carrierOf(t, smsc.port, { tls: true, smpp: { connectSeconds: 1 } })
  assert.match(await until(async () => (await bind())?.lastError), /no connection within 1000 ms/)
  assert.equal(smsc.happened('opened').length > 0, true)
  assert.equal(smsc.of('bind_transceiver').length, 0)
})

test('enquireSeconds: sends enquire_link after idle time; enquireAnswerSeconds without a response close the link', {
  skip,
}, async (t) => {
  const smsc = await scriptedSmsc(t)
  const record = await sniff(t, smsc.port)
  const { bind, bound } = await carrierOf(t, smsc.port, { smpp: { enquireSeconds: 2, enquireAnswerSeconds: 3 } })
  await bound()
  await smsc.nth('enquire_link', 3)
  smsc.say({ silent: ['enquire_link'] })
  const before = smsc.of('enquire_link').length
  await until(() => smsc.happened('closed').length === 1)
  assert.match(await until(async () => (await bind())?.lastError), /silent/)
  assert(smsc.of('enquire_link').length <= before + 2, 'only one enquire_link')
  if (!record) return
  const [ended] = await record.ends(1)
  const asked = await record.times(ENQUIRE_LINK, 4)
  for (const [index, time] of asked.slice(1, 3).entries()) assert(secondsBetween(asked[index], time) > 1.9)
  const lastAsked = asked.filter((time) => time < Number(ended)).at(-1)
  assert(secondsBetween(lastAsked, ended) > 2.9, 'not before')
  await record.judge()
})

test('answerSeconds: a submission without a response frees its place, a late response counts, and window limits submissions', {
  skip,
}, async (t) => {
  const smsc = await scriptedSmsc(t, { silent: ['submit_sm'] })
  const record = await sniff(t, smsc.port)
  const settings = { answerSeconds: 2, window: 2, breakAfterUnanswered: null }
  const { id, bound } = await carrierOf(t, smsc.port, settings)
  const routeId = await addRoute(service, id)
  t.after(() => service.manage('DELETE', `/routes/${routeId}`))
  await bound()
  const sent = []
  for (const last of [1, 2, 3]) sent.push((await sender.send({ to: `984100000${last}` })).body.messageId)
  // The third is sent after the first two have timed out.
  const third = await until(async () => {
    await service.settle()
    return smsc.of('submit_sm')[2]
  })
  const [first] = smsc.of('submit_sm')
  assert(first && third)
  const byNumber = new Map(sent.map((messageId, index) => [`977984100000${index + 1}`, messageId]))
  const messageId = byNumber.get(first.destination_addr)
  assert.notEqual((await sender.get(messageId)).status, 'sent', 'unknown')
  smsc.say({ answer: first.seq, link: first.link })
  await until(async () => {
    await service.settle()
    return (await sender.get(messageId)).status === 'sent'
  })
  assert.equal(smsc.of('submit_sm').length, 3, 'none is resent (D15)')
  if (!record) return
  const submitted = await record.times(SUBMIT_SM, 3)
  assert(secondsBetween(submitted[0], submitted[2]) > 1.9, 'not before')
  await record.judge()
})
