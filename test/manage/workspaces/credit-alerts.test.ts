// Mails to the owners of a workspace with a low balance: once per crossing and alert, from one process (D79).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notifyLowCredit } from '../../../src/actions/service/notify-low-credit.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { makeClient, makeWorkspace } from '../../harness/client.ts'
import { startMailServer } from '../../harness/mail-server.ts'
import { makePerson } from '../../harness/people.ts'
import { ownService } from '../../harness/service.ts'

const mail = await startMailServer()
const MAIL_ENV = {
  HULAKI_SMTP_URL: mail.url,
  HULAKI_MAIL_FROM: 'Hulaki <hulaki@example.com>',
  HULAKI_PUBLIC_URL: 'https://sms.example.com',
}
// People are invited here, because a service with SMTP mails invitations instead of showing them.
const plain = await ownService({ env: { HULAKI_ROLES: 'api' } })
const service = await ownService({ beside: plain, env: { HULAKI_ROLES: 'api,upkeep', ...MAIL_ENV } })
const { manage } = service

async function startWorkspace(below: number[], { owners = 1 } = {}) {
  const rate = { transactional: 1, otp: 1, promotional: 1 }
  const workspaceId = await makeWorkspace(service, { name: 'Himal & Co', monthlyCredit: 10, rate })
  const people = []
  for (let count = 0; count < owners; count++) people.push(await makePerson(plain, { workspaceId, role: 'owner' }))
  const viewer = await makePerson(plain, { workspaceId, role: 'viewer' })
  const client = await makeClient(service, { workspaceId })
  assert.equal((await manage('PUT', `/workspaces/${workspaceId}/credit-alerts`, { below })).status, 200)
  const addresses = [...people, viewer].map((it) => it.email)
  const letters = () => mail.received.filter(({ to }) => to.some((it) => addresses.includes(it)))
  const subjects = () => letters().map(({ text }) => /^Subject: (.*)$/m.exec(text)?.[1] ?? '')
  const spend = async (messages: number) => {
    for (let count = 0; count < messages; count++) assert.equal((await client.send()).status, 200)
  }
  /** Until the next turns of upkeep. */
  const wait = () => service.advance(60)
  const topUp = (amount: number) => manage('POST', `/workspaces/${workspaceId}/credits`, { amount })
  return { workspaceId, people, letters, subjects, spend, wait, topUp }
}

/** Without the line breaks of the encoding. */
function wholeText(letter: { text: string } | undefined): string {
  return letter?.text.replaceAll('=\n', '') ?? ''
}

test('owners get one mail per crossing, and the next one after the balance has risen above the alert', async () => {
  const { workspaceId, people, letters, subjects, spend, wait, topUp } = await startWorkspace([8, 5], { owners: 2 })
  await wait()
  assert.deepEqual(subjects(), [], 'the balance is above')
  await spend(3)
  await wait()
  const first = 'Low balance of Himal & Co: NPR 7.00'
  assert.deepEqual(subjects(), [first, first])
  assert.deepEqual(
    letters()
      .flatMap((it) => it.to)
      .toSorted(),
    people.map((it) => it.email).toSorted(),
  )
  const text = wholeText(letters()[0])
  assert.ok(text.includes('is NPR 7.00, below the alert of NPR 8.00.'), text)
  assert.ok(text.includes(`https://sms.example.com/console/w/${workspaceId}/usage`), text)
  await spend(1)
  await wait()
  assert.equal(subjects().length, 2, 'still below the same alert')
  await spend(2)
  await wait()
  assert.deepEqual(subjects().slice(2), Array(2).fill('Low balance of Himal & Co: NPR 4.00'))
  await topUp(4)
  await wait()
  await spend(1)
  await wait()
  assert.equal(subjects().length, 4, 'the alert was announced within the last hour')
  await service.advance(3600)
  assert.deepEqual(subjects().slice(4), Array(2).fill('Low balance of Himal & Co: NPR 7.00'), 'armed again')
})

test('replacing the alerts mails the owners again only after the hour', async () => {
  const { workspaceId, subjects, spend, wait } = await startWorkspace([8])
  await spend(3)
  await wait()
  for (const below of [[9], [], [10, 9]]) {
    assert.equal((await manage('PUT', `/workspaces/${workspaceId}/credit-alerts`, { below })).status, 200)
    await wait()
  }
  assert.equal(subjects().length, 1)
  await service.advance(3600)
  assert.equal(subjects().length, 2)
})

test('several alerts that are crossed at once are one mail, about the lowest', async () => {
  const { letters, subjects, spend, wait } = await startWorkspace([9, 8, 7, 2])
  await spend(4)
  await wait()
  assert.deepEqual(subjects(), ['Low balance of Himal & Co: NPR 6.00'])
  assert.ok(wholeText(letters()[0]).includes('below the alert of NPR 7.00.'))
})

test('a mail that cannot be sent is retried, and concurrent processes send it once', async () => {
  const { subjects, spend, wait } = await startWorkspace([8])
  await spend(3)
  mail.refuse.all = true
  await wait()
  mail.refuse.all = false
  assert.deepEqual(subjects(), [])
  await service.advance(300)
  assert.equal(subjects().length, 1)
  const other = await startWorkspace([8])
  await other.spend(3)
  const sent: string[] = []
  const send = async ({ to }: { to: string }) => void sent.push(to)
  const mailer = { send, consoleUrl: 'https://sms.example.com/console' }
  const log = createLog('silent')
  await Promise.all(Array.from({ length: 8 }, () => notifyLowCredit(service.ports, log, mailer)))
  assert.deepEqual([sent, other.subjects()], [other.people.map((it) => it.email), []])
})
