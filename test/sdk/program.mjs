// Runs on every platform: a send, an OTP, an error, a lost response and a webhook. Prints the results as JSON.
import { Hulaki, HulakiError, verifyWebhook, WebhookRefused } from '@hulaki/client'

const { url, shakyUrl, liveKey, testKey, webhook } = JSON.parse(process.env.TO_TRY)

const live = new Hulaki({ url, apiKey: liveKey })
const before = await live.balance()
const sent = await new Hulaki({ url: shakyUrl, apiKey: liveKey }).send({ to: '+9779841234567', text: 'Namaste' })
const { status } = await live.messages.get(sent.messageId)
const { balance } = await live.balance()

const { otp } = new Hulaki({ url, apiKey: testKey })
await otp.send({ to: '+9779841234568', purpose: process.env.PURPOSE })
const { verified } = await otp.verify({ to: '+9779841234568', purpose: process.env.PURPOSE, code: '123456' })

const refused = await live.send({ to: '12', text: 'x' }).catch((error) => error)
const late = await live.balance({ timeoutMs: 0, withinMs: 0 }).catch((error) => error)
const given = await live.balance({ signal: AbortSignal.abort() }).catch((error) => error)

const { body, headers, secret } = webhook
const { event } = await verifyWebhook(body, new Headers(headers), secret, { tolerance: Infinity })
const forged = await verifyWebhook(`${body} `, headers, secret, { tolerance: Infinity }).catch((error) => error)

const told = {
  status,
  charged: before.balance - balance,
  verified,
  refused: refused instanceof HulakiError && [refused.code, refused.status, refused.details.length],
  late: late instanceof HulakiError && late.code,
  given: given instanceof HulakiError && given.code,
  event: event.type,
  forged: forged instanceof WebhookRefused && forged.reason,
}
console.log(JSON.stringify(told))
