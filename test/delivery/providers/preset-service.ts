// A service with one carrier per preset, each for its own numbers, so that waits are shared.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { sql } from '../../../src/store/database/sql.ts'
import { freePort } from '../../harness/free-port.ts'
import { ALLOWED, TRUSTING } from '../../harness/http-carrier.ts'
import { addRoute, makeSender } from '../../harness/sending.ts'
import { ownService } from '../../harness/service.ts'
import { until } from '../../harness/until.ts'
import { aakash } from './aakash.ts'
import { type FakeProvider, type Plan, startFake } from './fake.ts'
import { infobip } from './infobip.ts'
import { sparrow } from './sparrow.ts'
import { twilio } from './twilio.ts'
import { vonage } from './vonage.ts'

export const FAKES = [sparrow, aakash, twilio, vonage, infobip]
/** HTTPS with a certificate of the test CA. */
const OVER_TLS: FakeProvider[] = [twilio, infobip]

/** Without webhooks, a day passes quickly. */
export async function startPresetService() {
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  const roles = { HULAKI_ROLES: 'api,delivery,upkeep' }
  const env = { ...ALLOWED, ...TRUSTING, ...roles, PORT: String(port), HULAKI_PUBLIC_URL: publicUrl }
  const service = await ownService({ env })
  const sender = await makeSender(service)
  let carriers = 0

  /** A carrier created from its preset, and its fake provider. */
  const connect = async (
    t: TestContext,
    fake: FakeProvider,
    {
      values = {},
      ...settings
    }: { values?: Record<string, string>; secrets?: Record<string, string>; answerSeconds?: number } = {},
  ) => {
    const nth = ++carriers
    const provider = await startFake(fake, { tls: OVER_TLS.includes(fake) })
    t.after(() => provider.close())
    const made = await service.manage('POST', '/carriers', {
      kind: 'http',
      name: `${fake.preset} ${nth}`,
      preset: fake.preset,
      presetValues: { ...fake.values, baseUrl: provider.url, ...values },
      secrets: fake.secrets,
      answerSeconds: 60,
      breakAfterUnanswered: null,
      breakAfterRefused: null,
      ...settings,
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const id = made.body.id as string
    const prefix = `984${String(nth).padStart(2, '0')}`
    await addRoute(service, id, { prefixes: [`+977${prefix}`] })
    let numbers = 0
    /** Sends a message to the provider. */
    const send = async (plan: Plan[] = [], text = 'Hello') => {
      const national = `${prefix}${String(++numbers).padStart(5, '0')}`
      const to = `+977${national}`
      provider.plan(to, ...plan)
      const { status, body } = await sender.send({ to: national, text })
      assert.equal(status, 200, JSON.stringify(body))
      return { id: body.messageId as string, to }
    }
    return { ...provider, carrierId: id, described: made.body.http, send }
  }

  const stateOf = async (id: string) => {
    const { status, error } = await sender.get(id)
    return error === '' ? status : `${status}: ${error}`
  }
  const outcomeOf = async (id: string) => {
    const [row] = await service.db.query<{ outcome: string }>(
      sql`select outcome::text from submission where message_id = ${id} order by ordinal desc limit 1`,
    )
    return row?.outcome
  }
  /** All carriers, once they are connected. */
  const areWorking = () =>
    until(async () => {
      const { items } = (await service.manage('GET', '/carriers')).body
      return (
        items.length === carriers && items.every((it: { health: { state: string } }) => it.health.state === 'working')
      )
    })
  return { service, sender, connect, areWorking, stateOf, outcomeOf }
}

export type Connected = Awaited<ReturnType<Awaited<ReturnType<typeof startPresetService>>['connect']>>
