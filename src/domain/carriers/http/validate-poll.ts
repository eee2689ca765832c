// Validates receipt polling (D54) when a carrier is saved.

import type { Fault } from '../../refusals.ts'
import type { IsAllowedAddress } from '../../webhooks/receiver-url.ts'
import type { HttpDescription, ReceiptPoll } from './description.ts'
import { at, parsePointer } from './pointer.ts'
import { parsePlace } from './receipt-place.ts'
import { POLL_PLACEHOLDERS, parseHttpTemplate } from './template.ts'
import { NO_IDENTIFIER, placesOf, validateReading } from './validate-receipts.ts'
import { validateRequest } from './validate-request.ts'
import { fault, Templates, validatePointer, walk } from './validation.ts'

interface PollContext {
  isAllowed: IsAllowedAddress
  secretNames: readonly string[]
}

const AT = 'receipts'

export function validatePoll({ receipts, answer }: HttpDescription, context: PollContext): Fault[] {
  if (receipts?.kind !== 'poll') return []
  const templates = new Templates(context.secretNames, POLL_PLACEHOLDERS)
  // The credentials of the submit call are validated with that call.
  const auth = receipts.auth === 'same' ? null : receipts.auth
  const request = validateRequest({ ...receipts, auth }, context, templates)
  const faults = [...request, ...validateMany(receipts), ...templates.faults]
  if (templates.faults.length === 0) faults.push(...validateNames(receipts, templates, answer.id))
  return [...faults.map((it) => ({ ...it, path: [AT, ...it.path] })), ...validatePollReading(receipts)]
}

/** A poll must identify its message. */
function validateNames({ url }: ReceiptPoll, { used }: Templates, id: string | null): Fault[] {
  const path = url.includes('{id}') ? ['url'] : []
  if (used.has('id') && id === null)
    return [fault(path, 'Uses {id}, but answer.id is not set; set it, or use {reference}')]
  const isNamed = (['id', 'reference', 'messageId'] as const).some((it) => used.has(it))
  return isNamed ? [] : [fault([], 'Must have {id}, {reference} or {messageId}, to identify the message')]
}

function validateMany(poll: ReceiptPoll): Fault[] {
  const { many } = poll
  if (many === null) return []
  if ((many.join === null) === (many.items === null)) return [fault(['many'], 'Must have either join or items')]
  if (many.items === null) return []
  const pointer = validatePointer(many.items, ['many', 'items'])
  return pointer.length > 0 ? pointer : validateItems(poll, many.items)
}

function validatePollReading({ reading, many }: ReceiptPoll): Fault[] {
  const path = [AT, 'reading']
  const { id, reference, list } = reading
  const faults = validateReading(reading)
  for (const [name, text] of placesOf(reading)) {
    const place = parsePlace(text)
    if (place && place.kind !== 'json')
      faults.push(fault([...path, name], 'Must be a JSON pointer, because a poll reads a response'))
  }
  if (id !== null && reference !== null) faults.push(fault(path, 'Must have an id or a reference, not both'))
  // A response about one message need not name it.
  const isOfMany = many !== null || list !== null
  if (isOfMany && id === null && reference === null) faults.push(fault(path, NO_IDENTIFIER))
  if (many !== null && list === null)
    faults.push(fault([...path, 'list'], 'Required if one call polls for several messages'))
  return faults
}

/** Validates the repeated item. Everything around it is sent once for all messages. */
function validateItems({ body, url, headers }: ReceiptPoll, pointer: string): Fault[] {
  const items = parsePointer(pointer) ?? []
  const list = body?.kind === 'json' ? at(body.value, items) : null
  if (!Array.isArray(list) || list.length !== 1)
    return [fault(['many', 'items'], 'Must point to a list with one item in the body; the item is repeated')]
  const item = [...items, '0']
  const faults: Fault[] = []
  const checkText = (text: string, path: (string | number)[]) => {
    const template = parseHttpTemplate(text, POLL_PLACEHOLDERS)
    if (typeof template !== 'string' && template.some((piece) => piece.kind === 'message'))
      faults.push(fault(path, 'Must not depend on the message, because it is sent once for several messages'))
  }
  checkText(url, ['url'])
  for (const [name, value] of Object.entries(headers)) checkText(value, ['headers', name])
  if (body?.kind === 'json')
    walk(body.value, [], (text, path) => {
      if (!item.every((step, index) => step === String(path[index]))) checkText(text, ['body', 'value', ...path])
    })
  return faults
}
