// Sets each case over the management API, sends messages and compares what the SMSC read.
import assert from 'node:assert/strict'
import { makeSender } from '../harness/sending.ts'
import type { TestService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { CASES, type Case, type Seen, USUAL_CARRIER } from './carrier-settings.ts'

/** What the SMSC has received of each message, in segment order. */
type SeenBy = (lastDigits: string) => Seen[]

const TEMPLATE = 'Your parcel {{number}} has arrived'

export async function prepareSender(service: TestService) {
  const sender = await makeSender(service, { monthlyCredit: 100_000 })
  const { workspaceId } = sender
  const workspaceFields = { dltEntityId: '1101000000', dltTemplateId: 'for codes' }
  await done(service.manage('PATCH', `/workspaces/${workspaceId}`, { carrierFields: workspaceFields }))
  const submitted = await done(
    service.manage('POST', `/workspaces/${workspaceId}/templates`, {
      name: 'Parcel',
      type: 'transactional',
      text: TEMPLATE,
      carrierFields: { dltTemplateId: 'wrong' },
    }),
  )
  const template = `/templates/${submitted.id}`
  await done(service.manage('PATCH', template, { carrierFields: { dltTemplateId: '1107000001' } }))
  await done(service.manage('POST', `${template}/approve`))
  return { ...sender, templateId: submitted.id as string }
}

type PreparedSender = Awaited<ReturnType<typeof prepareSender>>

export async function runCases(
  service: TestService,
  { sender, carrierId, seenBy }: { sender: PreparedSender; carrierId: string; seenBy: SeenBy },
): Promise<void> {
  for (const [index, it] of CASES.entries()) {
    const to = `+97798410001${String(index).padStart(2, '0')}`
    await done(service.manage('PATCH', `/carriers/${carrierId}`, settingsOf(it)))
    await service.settle()
    const sent = await sendOf(it, sender, to)
    assert.equal(sent.status, 200, `${it.name}: ${JSON.stringify(sent.body)}`)
    await service.settle()
    const expected = it.sees(to)
    const seen = await until(() => seenOf(seenBy, to, expected.length))
    for (const [at, fields] of expected.entries()) compare(it.name, seen[at], fields)
  }
}

function settingsOf({ carrier = {}, smpp = {} }: Case) {
  return { ...USUAL_CARRIER, ...carrier, smpp: { ...USUAL_CARRIER.smpp, ...smpp } }
}

function sendOf({ send = {} }: Case, sender: PreparedSender, to: string) {
  const { code, template, ...fields } = send
  if (code) return sender.sendCode(to)
  const content = template ? { text: undefined, templateId: sender.templateId, variables: { number: '7' } } : {}
  return sender.send({ to, ...fields, ...content })
}

function seenOf(seenBy: SeenBy, to: string, segments: number): Seen[] | null {
  const seen = seenBy(to.slice(4))
  return seen.length >= segments ? seen : null
}

/** RegExp values are matched; a sar reference only has to exist. */
function compare(name: string, seen: Seen | undefined, fields: Partial<Seen>): void {
  assert(seen, name)
  for (const [field, expected] of Object.entries(fields)) {
    const found: unknown = seen[field as keyof Seen]
    if ((expected as unknown) instanceof RegExp) assert.match(String(found), expected as unknown as RegExp, name)
    else if (field === 'tlvs') assert.deepEqual(withAnyReference(found as Seen['tlvs']), expected, name)
    else assert.deepEqual(found, expected, `${name}: ${field}`)
  }
}

function withAnyReference(tlvs: Seen['tlvs']): Seen['tlvs'] {
  return /^[0-9a-f]{4}$/.test(tlvs['020c'] ?? '') ? { ...tlvs, '020c': '' } : { ...tlvs }
}

async function done(asked: ReturnType<TestService['manage']>) {
  const { status, body } = await asked
  assert(status === 200 || status === 201, JSON.stringify(body))
  return body
}
