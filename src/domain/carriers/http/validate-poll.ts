// Validates receipt polling (D54) when a carrier is saved.

import type { IsAllowedAddress } from '../../outbound-address.ts'
import type { FieldError } from '../../refusals.ts'
import type { HttpDescription, ReceiptPoll } from './description.ts'
import { at, parsePointer } from './pointer.ts'
import { parsePlace } from './receipt-place.ts'
import { POLL_PLACEHOLDERS, parseHttpTemplate } from './template.ts'
import { NO_IDENTIFIER, placesOf, validateReading } from './validate-receipts.ts'
import { validateRequest } from './validate-request.ts'
import { fieldError, Templates, validatePointer, walk } from './validation.ts'

interface PollContext {
  isAllowed: IsAllowedAddress
  secretNames: readonly string[]
}

const AT = 'receipts'

export function validatePoll({ receipts, answer }: HttpDescription, context: PollContext): FieldError[] {
  if (receipts?.kind !== 'poll') return []
  const templates = new Templates(context.secretNames, POLL_PLACEHOLDERS)
  // The credentials of the submit call are validated with that call.
  const auth = receipts.auth === 'same' ? null : receipts.auth
  const request = validateRequest({ ...receipts, auth }, context, templates)
  const errors = [...request, ...validateMany(receipts), ...templates.errors]
  if (templates.errors.length === 0) errors.push(...validateNames(receipts, templates, answer.id))
  return [...errors.map((it) => ({ ...it, path: [AT, ...it.path] })), ...validatePollReading(receipts)]
}

/** A poll must identify its message. */
function validateNames({ url }: ReceiptPoll, { used }: Templates, id: string | null): FieldError[] {
  const path = url.includes('{id}') ? ['url'] : []
  if (used.has('id') && id === null)
    return [fieldError(path, 'Uses {id}, but answer.id is not set; set it, or use {reference}')]
  const isNamed = (['id', 'reference', 'messageId'] as const).some((it) => used.has(it))
  return isNamed ? [] : [fieldError([], 'Must have {id}, {reference} or {messageId}, to identify the message')]
}

function validateMany(poll: ReceiptPoll): FieldError[] {
  const { many } = poll
  if (many === null) return []
  if ((many.join === null) === (many.items === null)) return [fieldError(['many'], 'Must have either join or items')]
  if (many.items === null) return []
  const pointer = validatePointer(many.items, ['many', 'items'])
  return pointer.length > 0 ? pointer : validateItems(poll, many.items)
}

function validatePollReading({ reading, many }: ReceiptPoll): FieldError[] {
  const path = [AT, 'reading']
  const { id, reference, list } = reading
  const errors = validateReading(reading)
  for (const [name, text] of placesOf(reading)) {
    const place = parsePlace(text)
    if (place && place.kind !== 'json')
      errors.push(fieldError([...path, name], 'Must be a JSON pointer, because a poll reads a response'))
  }
  if (id !== null && reference !== null) errors.push(fieldError(path, 'Must have an id or a reference, not both'))
  // A response about one message need not name it.
  const isOfMany = many !== null || list !== null
  if (isOfMany && id === null && reference === null) errors.push(fieldError(path, NO_IDENTIFIER))
  if (many !== null && list === null)
    errors.push(fieldError([...path, 'list'], 'Required if one call polls for several messages'))
  return errors
}

/** Validates the repeated item. Everything around it is sent once for all messages. */
function validateItems({ body, url, headers }: ReceiptPoll, pointer: string): FieldError[] {
  const items = parsePointer(pointer) ?? []
  const list = body?.kind === 'json' ? at(body.value, items) : null
  if (!Array.isArray(list) || list.length !== 1)
    return [fieldError(['many', 'items'], 'Must point to a list with one item in the body; the item is repeated')]
  const item = [...items, '0']
  const errors: FieldError[] = []
  const checkText = (text: string, path: (string | number)[]) => {
    const template = parseHttpTemplate(text, POLL_PLACEHOLDERS)
    if (typeof template !== 'string' && template.some((piece) => piece.kind === 'message'))
      errors.push(fieldError(path, 'Must not depend on the message, because it is sent once for several messages'))
  }
  checkText(url, ['url'])
  for (const [name, value] of Object.entries(headers)) checkText(value, ['headers', name])
  if (body?.kind === 'json')
    walk(body.value, [], (text, path) => {
      if (!item.every((step, index) => step === String(path[index]))) checkText(text, ['body', 'value', ...path])
    })
  return errors
}
