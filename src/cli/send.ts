// Messages and codes, sent as a program sends them, with an API key; and what becomes of a message, until that is final.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from './command.ts'
import type { ManyRequests } from './many-requests.ts'
import { fieldsTyped, readSecret, type Typed } from './request.ts'
import { SendingApi } from './sending-api.ts'
import { isUnknown, NoAnswer, NotReached, Refused } from './service.ts'
import { EXIT, Misuse, type Surroundings } from './surroundings.ts'
import { jsonLine, textOf } from './table.ts'

/** Every second at first, then less often: most are final within seconds. */
const LOOK_EVERY_MS = { atFirst: 1000, looks: 30, later: 5000 }
const WELL = ['delivered', 'test']
const FINAL = [...WELL, 'undelivered', 'failed', 'rejected']

export async function runSending(
  command: ManyRequests,
  typed: Typed,
  { url, around }: { url: URL; around: Surroundings },
): Promise<number> {
  const { wait = true, ...values } = typed.values
  const body = fieldsTyped(command, { ...typed, values }, around)
  if (command.name === 'send' && (body.text === undefined) === (body.templateId === undefined))
    throw new Misuse('Send a text, or --template-id in its place.')
  const api = new SendingApi(url, apiKeyOf(typed, around), around)
  const key = typed.idempotencyKey ?? around.newIdempotencyKey()
  try {
    if (command.name === 'otp verify') return await verify(api, body, { key, typed, around })
    const path = command.name === 'send' ? '/sms/send' : '/sms/otp/send'
    const accepted = await sendOnce(api, { path, body, key })
    around.out(typed.common.json ? jsonLine(accepted) : acceptedLine(accepted))
    return wait ? await follow(api, accepted.messageId, { json: typed.common.json, around }) : EXIT.done
  } catch (fault) {
    if (fault instanceof Refused) fault.hints = hintsFor(fault, key)
    throw fault
  }
}

/** Never in the command line, where other users of the machine could read it. */
function apiKeyOf({ values }: Typed, around: Surroundings): string {
  const file = values['api-key-file']
  const key = file === undefined ? around.secret('HULAKI_API_KEY') : readSecret(String(file), around)
  if (key === null)
    throw new Misuse('An API key is needed: --api-key-file <file>, or HULAKI_API_KEY in the environment.')
  if (!/^[!-~]+$/.test(key)) throw new Misuse('The API key holds a character that no key has.')
  return key
}

/** Where nobody knows whether it was taken, its key tells how to find out: the same command with it sends it once. */
async function sendOnce(
  api: SendingApi,
  { path, body, key }: { path: string; body: Json; key: string },
): Promise<Json> {
  try {
    return await api.post(path, body, key)
  } catch (fault) {
    if (!(fault instanceof Error && isUnknown(fault)) || fault instanceof NotReached) throw fault
    throw new NoAnswer(
      `${fault.message}\nIt may have been sent. Repeat it within 24 hours with --idempotency-key ${key}: it is then sent once.`,
    )
  }
}

interface Saying {
  json: boolean
  around: Surroundings
}

/** Each status once, when it is seen. Whoever has had enough leaves the message to itself. */
async function follow(api: SendingApi, id: string, { json, around }: Saying): Promise<number> {
  const { out, err, signal } = around
  let seen = 'queued'
  for (let looks = 1; ; looks++) {
    const pause = looks > LOOK_EVERY_MS.looks ? LOOK_EVERY_MS.later : LOOK_EVERY_MS.atFirst
    try {
      const message = await api.get(`/sms/messages/${encodeURIComponent(id)}`)
      const { status } = message
      if (status !== seen) out(json ? jsonLine(message) : progressLine(message))
      seen = status
      if (FINAL.includes(status)) return WELL.includes(status) ? EXIT.done : EXIT.refused
    } catch (fault) {
      if (!signal.aborted && !isUnknown(fault)) throw fault
    }
    await sleep(pause, null, { signal }).catch(() => {})
    if (!signal.aborted) continue
    if (!json) err(`It goes on without us: hulaki message show ${id}`)
    return EXIT.done
  }
}

async function verify(
  api: SendingApi,
  body: Json,
  { key, typed, around }: { key: string; typed: Typed; around: Surroundings },
): Promise<number> {
  const verdict = await api.post('/sms/otp/verify', body, key)
  around.out(typed.common.json ? jsonLine(verdict) : verdictLine(verdict))
  return verdict.verified ? EXIT.done : EXIT.refused
}

function acceptedLine({ messageId, segments, cost, from, expiresInSeconds }: Json): string {
  const about =
    expiresInSeconds === undefined
      ? `segments=${segments} cost=${cost} from=${textOf(from)}`
      : `the code is good for ${expiresInSeconds} s`
  return `${messageId}  queued  ${about}`
}

function progressLine({ updatedAt, status, error }: Json): string {
  return `${updatedAt}  ${status}${error === '' ? '' : `  ${error}`}`
}

const VERDICTS: Record<string, string> = {
  invalid_code: 'The code is wrong.',
  too_many_attempts: 'It was tried too often, and is locked: send a new one.',
  no_active_otp: 'There is no code for this number and purpose: none was sent, or it is expired or used.',
}

function verdictLine({ verified, reason }: Json): string {
  return verified ? 'Verified.' : (VERDICTS[reason] ?? 'Not verified.')
}

/** What somebody at a terminal can do about it. */
function hintsFor({ code, status, retryAfterSeconds }: Refused, key: string): string[] {
  if (status === 401) return ['The API key comes from --api-key-file or HULAKI_API_KEY; it may have been rotated.']
  if (code === 'insufficient_balance')
    return [`Top up (hulaki credit add), then repeat it with --idempotency-key ${key}.`]
  if (code === 'template_required')
    return ['Send an approved template with --template-id, or have one approved: hulaki template submit.']
  return retryAfterSeconds === null ? [] : [`Ask again in ${retryAfterSeconds} s.`]
}
