// `hulaki send` and `hulaki otp`: sends with an API key, and shows the status of the message until it is final.
import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandForm, Json } from './command.ts'
import { fieldsTyped, readSecret, type Typed } from './request.ts'
import { SendingApi } from './sending-api.ts'
import { isUnknown, Refused, withKeyHint } from './service.ts'
import { EXIT, Misuse, type Surroundings } from './surroundings.ts'
import { jsonLine, textOf } from './table.ts'

/** Most messages are final within seconds. */
const LOOK_EVERY_MS = { atFirst: 1000, looks: 30, later: 5000 }
const WELL = ['delivered', 'test']
const FINAL = [...WELL, 'undelivered', 'failed', 'rejected']

export async function runSending(
  command: CommandForm,
  typed: Typed,
  { url, around }: { url: URL; around: Surroundings },
): Promise<number> {
  const { wait = true, ...values } = typed.values
  const body = fieldsTyped(command, { ...typed, values }, around)
  if (command.name === 'send' && (body.text === undefined) === (body.templateId === undefined))
    throw new Misuse('Give either a text or --template-id.')
  const api = new SendingApi(url, apiKeyOf(typed, around), around)
  const key = typed.idempotencyKey ?? around.newIdempotencyKey()
  try {
    if (command.name === 'otp verify') return await verify(api, body, { key, typed, around })
    const path = command.name === 'send' ? '/sms/send' : '/sms/otp/send'
    const accepted = await withKeyHint(key, 'The message may be sent', () => api.post(path, body, key))
    around.out(typed.common.json ? jsonLine(accepted) : acceptedLine(accepted))
    return wait ? await follow(api, accepted.messageId, { json: typed.common.json, around }) : EXIT.done
  } catch (fault) {
    if (fault instanceof Refused) fault.hints = hintsFor(fault, key)
    throw fault
  }
}

/** Never an argument, because other users of the machine can read a command line. */
function apiKeyOf({ values }: Typed, around: Surroundings): string {
  const file = values['api-key-file']
  const key = file === undefined ? around.secret('HULAKI_API_KEY') : readSecret(String(file), around)
  if (key === null)
    throw new Misuse('An API key is required: --api-key-file <file>, or HULAKI_API_KEY in the environment.')
  if (!/^[!-~]+$/.test(key)) throw new Misuse('The API key contains an invalid character.')
  return key
}

interface Saying {
  json: boolean
  around: Surroundings
}

/** Prints each status once. Ctrl-C stops only the watching. */
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
    if (!json) err(`The message continues: hulaki message show ${id}`)
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
      : `the code is valid for ${expiresInSeconds} s`
  return `${messageId}  queued  ${about}`
}

function progressLine({ updatedAt, status, error }: Json): string {
  return `${updatedAt}  ${status}${error === '' ? '' : `  ${error}`}`
}

const VERDICTS: Record<string, string> = {
  invalid_code: 'The code is wrong.',
  too_many_attempts: 'Too many attempts. Send a new code.',
  no_active_otp: 'No active code for this number and purpose: it expired, was used, or was never sent.',
}

function verdictLine({ verified, reason }: Json): string {
  return verified ? 'Verified.' : (VERDICTS[reason] ?? 'Not verified.')
}

/** What to do about a refusal. */
function hintsFor({ code, status, retryAfterSeconds }: Refused, key: string): string[] {
  if (status === 401) return ['Check the API key of --api-key-file or HULAKI_API_KEY; it may be rotated.']
  if (code === 'insufficient_balance')
    return [`Add credit (hulaki credit add), then repeat the command with --idempotency-key ${key}.`]
  if (code === 'template_required')
    return ['Send an approved template with --template-id, or submit one: hulaki template submit.']
  return retryAfterSeconds === null ? [] : [`Try again in ${retryAfterSeconds} s.`]
}
