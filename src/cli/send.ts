// `hulaki send` and `hulaki otp`: sends with an API key, and shows the status of the message until it is final.
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyJson, CommandForm } from './command.ts'
import { type CliContext, EXIT, UsageError } from './context.ts'
import { type ParsedCommand, readFields } from './request.ts'
import { SendingApi } from './sending-api.ts'
import { ApiError, isOutcomeUnknown, withKeyHint } from './service.ts'
import { formatValue, jsonLine, wrapped } from './table.ts'
import { isTime, shortTime } from './time.ts'
import { readSecret } from './values.ts'
import { createWaitReasons, type ExplainWait } from './wait-reason.ts'

/** Polls slower after the first seconds, in which most messages become final. */
const POLL_MS = { first: 1000, firstPolls: 30, later: 5000 }
/** A message that does not change for this number of polls gets an explanation. */
const EXPLAIN_AFTER_POLLS = 5
const WAITING = ['queued', 'submitting']
const SUCCESSFUL = ['delivered', 'test']
const FINAL = [...SUCCESSFUL, 'undelivered', 'failed', 'rejected']

export async function runSending(
  command: CommandForm,
  parsed: ParsedCommand,
  { url, context }: { url: URL; context: CliContext },
): Promise<number> {
  const { wait = true, ...values } = parsed.values
  const body = readFields(command, { ...parsed, values }, context)
  if (command.name === 'send' && (body.text === undefined) === (body.templateId === undefined))
    throw new UsageError('Give either a text or --template-id.')
  const api = new SendingApi(url, readApiKey(parsed, context), context)
  const key = parsed.idempotencyKey ?? context.newIdempotencyKey()
  try {
    if (command.name === 'otp verify') return await verify(api, body, { key, parsed, context })
    const path = command.name === 'send' ? '/sms/send' : '/sms/otp/send'
    const accepted = await withKeyHint(key, 'The message may be sent', () => api.post(path, body, key))
    context.out(parsed.common.json ? jsonLine(accepted) : acceptedLine(accepted))
    const options = { json: parsed.common.json, context, explainWait: createWaitReasons(url, context) }
    return wait ? await follow(api, accepted.messageId, options) : EXIT.done
  } catch (error) {
    if (error instanceof ApiError) error.hints = hintsFor(error, key)
    throw error
  }
}

/** Never an argument, because other users of the machine can read a command line. */
function readApiKey({ values }: ParsedCommand, context: CliContext): string {
  const file = values['api-key-file']
  const key = file === undefined ? context.secret('HULAKI_API_KEY') : readSecret(String(file), context)
  if (key === null)
    throw new UsageError('An API key is required: --api-key-file <file>, or HULAKI_API_KEY in the environment.')
  if (!/^[!-~]+$/.test(key)) throw new UsageError('The API key contains an invalid character.')
  return key
}

interface FollowOptions {
  json: boolean
  context: CliContext
  explainWait: ExplainWait
}

/** Prints each status once, and why the message waits if it does. Ctrl-C stops only the watching. */
async function follow(api: SendingApi, id: string, { json, context, explainWait }: FollowOptions): Promise<number> {
  const { out, err, signal, width } = context
  let seen = 'queued'
  let unchangedPolls = 0
  let explained = ''
  for (let polls = 1; ; polls++) {
    const pause = polls > POLL_MS.firstPolls ? POLL_MS.later : POLL_MS.first
    try {
      const message = await api.get(`/sms/messages/${encodeURIComponent(id)}`)
      const { status } = message
      unchangedPolls = status === seen ? unchangedPolls + 1 : 0
      if (status !== seen) out(json ? jsonLine(message) : progressLine(message, context))
      seen = status
      if (FINAL.includes(status)) return SUCCESSFUL.includes(status) ? EXIT.done : EXIT.refused
    } catch (error) {
      if (!signal.aborted && !isOutcomeUnknown(error)) throw error
    }
    if (!json && WAITING.includes(seen) && unchangedPolls >= EXPLAIN_AFTER_POLLS) {
      unchangedPolls = 0
      const text = (await explainWait(id)).flatMap((line) => (width === null ? line : wrapped(line, width))).join('\n')
      if (text !== '' && text !== explained) err(text)
      explained = text || explained
    }
    await sleep(pause, null, { signal }).catch(() => {})
    if (!signal.aborted) continue
    if (!json) err(`The message continues: hulaki message show ${id}`)
    return EXIT.done
  }
}

async function verify(
  api: SendingApi,
  body: AnyJson,
  { key, parsed, context }: { key: string; parsed: ParsedCommand; context: CliContext },
): Promise<number> {
  const verdict = await api.post('/sms/otp/verify', body, key)
  context.out(parsed.common.json ? jsonLine(verdict) : verdictLine(verdict))
  return verdict.verified ? EXIT.done : EXIT.refused
}

function acceptedLine({ messageId, segments, cost, from, expiresInSeconds }: AnyJson): string {
  const about =
    expiresInSeconds === undefined
      ? `segments=${segments} cost=${cost} from=${formatValue(from)}`
      : `OTP valid for ${expiresInSeconds} s`
  return `${messageId}  queued  ${about}`
}

function progressLine({ updatedAt, status, error }: AnyJson, { width, now }: CliContext): string {
  return `${width !== null && isTime(updatedAt) ? shortTime(updatedAt, now()) : updatedAt}  ${status}${error === '' ? '' : `  ${error}`}`
}

const VERDICTS: Record<string, string> = {
  invalid_code: 'Wrong OTP.',
  too_many_attempts: 'Too many attempts. Send a new OTP.',
  no_active_otp: 'No active OTP for this number and purpose: it expired, was used, or was never sent.',
}

function verdictLine({ verified, reason }: AnyJson): string {
  return verified ? 'Verified.' : (VERDICTS[reason] ?? 'Not verified.')
}

/** Suggests what to do about an error. */
function hintsFor({ code, status, retryAfterSeconds }: ApiError, key: string): string[] {
  if (status === 401) return ['Check the API key of --api-key-file or HULAKI_API_KEY; it may be rotated.']
  if (code === 'insufficient_balance')
    return [`Add credit (hulaki credit add), then repeat the command with --idempotency-key ${key}.`]
  if (code === 'template_required')
    return ['Send an approved template with --template-id, or submit one: hulaki template submit.']
  return retryAfterSeconds === null ? [] : [`Try again in ${retryAfterSeconds} s.`]
}
