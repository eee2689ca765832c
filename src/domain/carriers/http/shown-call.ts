// A call to a carrier over HTTP as people may see it (D60): made by the same description as the call itself, of values that were blotted
// out before. What was never put in cannot be found in it, wherever the description puts texts and secrets.

import type { HttpSecrets } from '../secrets.ts'
import { CALLBACK_URL, callbackUrlOf } from './callback.ts'
import type { HttpDescription } from './description.ts'
import { parsePointer } from './pointer.ts'
import { authOf, compilePoll, type MakePoll } from './poll.ts'
import { parsePlace } from './receipt-place.ts'
import type { ReceiptPoll, ReceiptReading } from './receipts.ts'
import { compileCall, type MakeCall } from './request.ts'
import type { MessageValues } from './template.ts'
import { HIDDEN, type Hider, hideDigits, opensSomething } from './wire/hide.ts'
import type { ReadPlace } from './wire/hide-json.ts'
import type { ReadPlaces } from './wire/http-message.ts'

export function compileShownCall(
  description: HttpDescription,
  secrets: HttpSecrets,
  publicUrl: string | null,
): MakeCall {
  const hidden = hiddenSecrets(secrets)
  const callback: HttpSecrets = publicUrl === null ? {} : { [CALLBACK_URL]: callbackUrlOf(publicUrl, HIDDEN) }
  const make = compileCall({ ...description, auth: hiddenAuth(description.auth) }, { ...hidden, ...callback })
  return ([first, ...rest]) => make([blotted(first), ...rest.map(blotted)])
}

/** The same for a question about receipts. */
export function compileShownPoll(description: HttpDescription, poll: ReceiptPoll, secrets: HttpSecrets): MakePoll {
  const receipts = { ...poll, auth: 'same' as const }
  const hidden = { ...description, auth: hiddenAuth(authOf(description)), receipts }
  return compilePoll(hidden, receipts, hiddenSecrets(secrets))
}

/** For what is made of such values: whatever else opens something was written into the description as it is. */
export function literalHider(hideSecrets: (text: string) => string): Hider {
  return {
    secrets: hideSecrets,
    text: hideSecrets,
    word: (word, { name = '' } = {}) => (opensSomething(name) ? HIDDEN : hideSecrets(word)),
  }
}

function hiddenSecrets(secrets: HttpSecrets): HttpSecrets {
  return Object.fromEntries(Object.keys(secrets).map((name) => [name, HIDDEN]))
}

function blotted(values: MessageValues): MessageValues {
  return { ...values, text: hideDigits(values.text) }
}

function hiddenAuth(auth: HttpDescription['auth']): HttpDescription['auth'] {
  if (auth === null) return null
  return auth.kind === 'basic'
    ? { kind: 'header', name: 'Authorization', value: `Basic ${HIDDEN}` }
    : { ...auth, value: HIDDEN }
}

const NOWHERE: ReadonlySet<string> = new Set()
export const NOTHING_READ: ReadPlaces = { json: [], form: NOWHERE, query: NOWHERE }

/** What is read of an answer; the carrier's words are not among it, for they may repeat the message. */
export function placesOfAnswer({ answer }: HttpDescription): ReadPlaces {
  const read = [answer.id, ...answer.rules.map((rule) => rule.at ?? null)]
  return { ...NOTHING_READ, json: read.map((it) => placeOf(it)).filter((it) => it !== null) }
}

export function placesOfReceipts({ list, id, reference, state, code, to, time }: ReceiptReading): ReadPlaces {
  const read = [id, reference, state, code, to, time].filter((it) => it !== null)
  const named = (kind: 'form' | 'query') =>
    new Set(read.map(parsePlace).flatMap((place) => (place !== null && place.kind === kind ? [place.name] : [])))
  const json = read.flatMap((it) => {
    const place = parsePlace(it)?.kind === 'json' ? placeOf(it, list ?? undefined) : null
    return place === null ? [] : [place]
  })
  return { json, form: named('form'), query: named('query') }
}

/** Within each item of a list, where one is named. */
function placeOf(pointer: string | null, list?: string): ReadPlace | null {
  const steps = pointer === null ? null : parsePointer(pointer)
  if (steps === null || list === undefined) return steps
  const before = parsePointer(list)
  return before === null ? null : [...before, null, ...steps]
}
