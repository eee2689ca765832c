// A resend follows the rules of a new send, and keeps the template of its message (D69).
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { approveTemplate } from '../../harness/client.ts'
import { assertRefused } from '../../harness/refused.ts'
import { addCarrier, addRoute, makeSender } from '../../harness/sending.ts'
import { ownService } from '../../harness/service.ts'
import { startSmsc, type Taken } from '../../harness/smsc.ts'
import { until } from '../../harness/until.ts'

const TEMPLATE_TAG = 0x1401

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const smsc = await startSmsc()
const tlvs = [{ tag: '0x1401', field: 'dltTemplateId' }]
const carrierId = await addCarrier(service, smsc.port, { answerSeconds: 1, smpp: { tlvs } })
await addRoute(service, carrierId)
const { manage } = service
let last = 0

beforeEach(() => {
  smsc.plan = () => ({ report: 'DELIVRD' })
  smsc.taken.length = 0
})

type Sender = Awaited<ReturnType<typeof makeSender>>

const nextNumber = () => `+97798${String(42_000_000 + ++last)}`
const resend = (id: string) => manage('POST', `/messages/${id}/resend`)
const restrict = ({ clientId }: Sender, restrictions: object) =>
  manage('PATCH', `/clients/${clientId}`, { restrictions })

async function sendOne(sender: Sender, body: Record<string, unknown> = {}): Promise<string> {
  const sent = await sender.send({ to: nextNumber(), ...body })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  await service.settle()
  return sent.body.messageId
}

/** The carrier rejects it permanently. */
async function sendFailing(sender: Sender, body: Record<string, unknown> = {}): Promise<string> {
  smsc.plan = () => ({ status: 0x0b })
  const id = await sendOne(sender, body)
  await until(async () => (await sender.get(id)).status === 'failed')
  smsc.plan = () => ({ report: 'DELIVRD' })
  return id
}

/** D15: submitted, without an answer. */
async function sendInDoubt(sender: Sender, body: Record<string, unknown> = {}): Promise<string> {
  smsc.plan = () => ({ answer: 'never' })
  const id = await sendOne(sender, body)
  await until(async () => (await sender.get(id)).attempts === 1)
  smsc.plan = () => ({ report: 'DELIVRD' })
  return id
}

async function makeReviewedSender() {
  const sender = await makeSender(service)
  const template = { text: 'Parcel {{number}} has arrived', carrierFields: { dltTemplateId: '1107000001' } }
  const templateId = await approveTemplate(service, sender.workspaceId, template)
  const change = { templatesRequired: true, carrierFields: { dltTemplateId: 'of the workspace' } }
  assert.equal((await manage('PATCH', `/workspaces/${sender.workspaceId}`, change)).status, 200)
  return { sender, templateId }
}

const reject = (templateId: string) => manage('POST', `/templates/${templateId}/reject`, { reason: 'It misleads' })

const templateTold = ({ pdu }: Taken) =>
  pdu.tlvs.unknown?.find((it) => it.tag === TEMPLATE_TAG)?.value.toString() ?? null

test('does not resend a message whose template was rejected, failed or in doubt (D69)', async () => {
  const { sender, templateId } = await makeReviewedSender()
  const failed = await sendFailing(sender, { text: 'Parcel 7 has arrived' })
  const inDoubt = await sendInDoubt(sender, { text: 'Parcel 8 has arrived' })
  const { balance } = await sender.balance()
  assert.equal((await reject(templateId)).status, 200)
  for (const id of [failed, inDoubt]) assertRefused(await resend(id), 403, 'template_required')
  assert.equal((await sender.get(inDoubt)).status, 'submitting')
  assert.equal((await sender.balance()).balance, balance)
})

test('checks each of several messages on its own (D69)', async () => {
  const { sender, templateId } = await makeReviewedSender()
  await approveTemplate(service, sender.workspaceId, { text: 'Order {{number}} is on its way' })
  await sendFailing(sender, { text: 'Parcel 7 has arrived' })
  await sendFailing(sender, { text: 'Order 7 is on its way' })
  await sendInDoubt(sender, { text: 'Parcel 8 has arrived' })
  await sendInDoubt(sender, { text: 'Order 8 is on its way' })
  assert.equal((await reject(templateId)).status, 200)
  const at = `/workspaces/${sender.workspaceId}/messages/resend`
  const { body } = await manage('POST', at, { status: ['failed', 'submitting'] })
  assert.deepEqual(body, { changed: 2, refused: 2, left: 0, next: null })
})

test('keeps the template of a resent message, so that carriers get its fields (D69)', async () => {
  const { sender, templateId } = await makeReviewedSender()
  const byId = { text: undefined, templateId, variables: { number: '7' } }
  for (const content of [byId, { text: 'Parcel 9 has arrived' }]) {
    const failed = await sendFailing(sender, content)
    smsc.taken.length = 0
    const { status, body } = await resend(failed)
    assert.equal(status, 202, JSON.stringify(body))
    await service.settle()
    await until(async () => (await sender.get(body.id)).status === 'delivered')
    assert.deepEqual(smsc.taken.map(templateTold), ['1107000001'])
  }
})

test('resends the text of a rejected template if the workspace requires no templates (D69)', async () => {
  const { sender, templateId } = await makeReviewedSender()
  const failed = await sendFailing(sender, { text: 'Parcel 7 has arrived' })
  await reject(templateId)
  await manage('PATCH', `/workspaces/${sender.workspaceId}`, { templatesRequired: false })
  smsc.taken.length = 0
  assert.equal((await resend(failed)).status, 202)
  await service.settle()
  await until(() => smsc.taken.length === 1)
  assert.deepEqual(smsc.taken.map(templateTold), ['of the workspace'])
})

test('applies the restrictions and caps of the client to a resend (D69)', async () => {
  const sender = await makeSender(service)
  const to = nextNumber()
  const failed = await sendFailing(sender, { to })
  const inDoubt = await sendInDoubt(sender, { to: nextNumber() })
  for (const [restrictions, code] of [
    [{ types: ['otp'] }, 'type_not_allowed'],
    [{ types: null, numberPrefixes: ['+97796'] }, 'prefix_not_allowed'],
  ] as const) {
    await restrict(sender, restrictions)
    for (const id of [failed, inDoubt]) assertRefused(await resend(id), 403, code)
  }
  await restrict(sender, { numberPrefixes: null, hourlyCapPerNumber: 1 })
  assertRefused(await resend(failed), 429, 'number_cap')
  await restrict(sender, { hourlyCapPerNumber: null, dailyCap: 2 })
  assertRefused(await resend(failed), 429, 'daily_cap')
  await restrict(sender, { dailyCap: 3, hourlyCapPerNumber: 2 })
  assert.equal((await resend(failed)).status, 202)
  assertRefused(await sender.send({ to: nextNumber() }), 429, 'daily_cap')
  await restrict(sender, { dailyCap: null })
  assertRefused(await sender.send({ to }), 429, 'number_cap')
})

test('resends nothing for a disabled client, or a workspace that may not send (D69)', async () => {
  const sender = await makeSender(service)
  const messages = [await sendFailing(sender), await sendInDoubt(sender)]
  const refusals: [act: () => Promise<unknown>, undo: () => Promise<unknown>, code: string][] = [
    [
      () => manage('POST', `/clients/${sender.clientId}/disable`),
      () => manage('POST', `/clients/${sender.clientId}/enable`),
      'client_disabled',
    ],
    [
      () => manage('PATCH', `/workspaces/${sender.workspaceId}`, { status: 'suspended' }),
      () => manage('PATCH', `/workspaces/${sender.workspaceId}`, { status: 'active' }),
      'workspace_suspended',
    ],
    [
      () => manage('PATCH', `/workspaces/${sender.workspaceId}`, { allowedTypes: ['otp'] }),
      () => manage('PATCH', `/workspaces/${sender.workspaceId}`, { allowedTypes: ['otp', 'transactional'] }),
      'forbidden',
    ],
  ]
  for (const [act, undo, code] of refusals) {
    await act()
    for (const id of messages) assertRefused(await resend(id), 403, code)
    await undo()
  }
  for (const id of messages) assert.equal((await resend(id)).status, 202)
})

test('queues a resent message in doubt again, with a webhook and a new updatedAt (§3.1)', async () => {
  const sender = await makeSender(service)
  const id = await sendInDoubt(sender)
  const { updatedAt } = await sender.get(id)
  smsc.plan = () => ({ status: 0x58 })
  assert.equal((await resend(id)).body.status, 'queued')
  const { items } = (await manage('GET', `/clients/${sender.clientId}/webhook-deliveries?message=${id}`)).body
  assert.equal(items.length, 1)
  const event = JSON.parse((await manage('GET', `/webhook-deliveries/${items[0].id}`)).body.body)
  assert.deepEqual([event.id, event.status, event.error], [id, 'queued', 'delivery_timeout'])
  assert.ok(event.at > updatedAt, `${event.at} is not after ${updatedAt}`)
  assert.ok((await sender.get(id)).updatedAt >= event.at)
})

test('finds a message by its id in capital letters, charges the resend once and records it', async () => {
  const sender = await makeSender(service)
  const failed = await sendFailing(sender)
  const { balance } = await sender.balance()
  const { status, body } = await resend(failed.toUpperCase())
  assert.equal(status, 202, JSON.stringify(body))
  assert.equal((await sender.balance()).balance, balance - 1)
  const { items } = (await manage('GET', `/workspaces/${sender.workspaceId}/audit-log?limit=1`)).body
  assert.deepEqual([items[0].action, items[0].subject], ['message.resent', failed])
})
