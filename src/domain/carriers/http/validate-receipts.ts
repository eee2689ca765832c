// Validates the receipts of an HTTP description.
import type { FieldError } from '../../refusals.ts'
import type { HttpDescription } from './description.ts'
import { RECEIPT_BOUNDS, type ReceiptCallback, type ReceiptCheck, type ReceiptReading } from './description.ts'
import { parsePlace, type ReceiptPlace } from './receipt-place.ts'
import type { Templates } from './validation.ts'
import { type FieldPath, fieldError, validatePointer } from './validation.ts'

interface ReceiptContext {
  templates: Templates
  /** Whether HULAKI_PUBLIC_URL is set. */
  hasPublicUrl: boolean
}

const AT = 'receipts'

export function validateReceipts({ receipts }: HttpDescription, context: ReceiptContext): FieldError[] {
  if (receipts?.kind !== 'callback') return []
  const errors = validateReading(receipts.reading)
  if ((receipts.reading.id === null) === (receipts.reading.reference === null))
    errors.push(fieldError([AT, 'reading'], NO_IDENTIFIER))
  if (receipts.check) errors.push(...validateCheck(receipts, receipts.check, context))
  return errors
}

export const NO_IDENTIFIER = 'Must have an id or a reference to match messages'

export function validateReading(reading: ReceiptReading): FieldError[] {
  const path = [AT, 'reading']
  const { list, states, codes } = reading
  const errors = validatePointer(list, [...path, 'list'])
  for (const [name, text] of placesOf(reading)) {
    const place = parsePlace(text)
    if (place === null)
      errors.push(
        fieldError([...path, name], 'Must be a JSON pointer, for example /id, or form:NAME, query:NAME or any:NAME'),
      )
  }
  for (const [state, { status, error }] of Object.entries(states))
    if (error !== undefined && status !== 'undelivered')
      errors.push(fieldError([...path, 'states', state, 'error'], 'Only allowed with the status undelivered'))
  if (Object.keys(states).length + Object.keys(codes).length > RECEIPT_BOUNDS.tableRows)
    errors.push(fieldError(path, `Must have at most ${RECEIPT_BOUNDS.tableRows} rows in both tables`))
  return errors
}

export function placesOf({ id, reference, state, code, to, time }: ReceiptReading): [string, string][] {
  const all = Object.entries({ id, reference, state, code, to, time })
  return all.filter((entry): entry is [string, string] => entry[1] !== null)
}

const HEADER = /^[!#$%&'*+.^_`|~\w-]{1,100}$/

function validateCheck({ reading }: ReceiptCallback, check: ReceiptCheck, context: ReceiptContext): FieldError[] {
  const path = [AT, 'check']
  if (check.kind === 'basic') {
    context.templates.parseAccount(check, path)
    return []
  }
  if (check.kind !== 'hmac') {
    context.templates.parseSecret(check.value, [...path, 'value'])
    return check.kind === 'header' ? validateHeader(check.name, [...path, 'name']) : []
  }
  context.templates.parseSecret(check.key, [...path, 'key'])
  const errors = validateHeader(check.header, [...path, 'header'])
  if (check.over === 'url_and_form' && !context.hasPublicUrl)
    errors.push(fieldError([...path, 'over'], 'Needs HULAKI_PUBLIC_URL, because the signature covers the public URL'))
  return [...errors, ...validateCover(reading, check.over)]
}

/** Unsigned values must not be read: anyone who has seen one signature could change them. */
function validateCover(reading: ReceiptReading, over: 'body' | 'url_and_form'): FieldError[] {
  const covered = over === 'body' ? ['json', 'form'] : ['form', 'query']
  const isCovered = ({ kind }: ReceiptPlace) => covered.includes(kind)
  const bare = placesOf(reading).filter(([, text]) => {
    const place = parsePlace(text)
    return place !== null && !isCovered(place)
  })
  return bare.map(([name]) => fieldError([AT, 'reading', name], `Is not covered by the signature (${over})`))
}

function validateHeader(name: string, path: FieldPath): FieldError[] {
  return HEADER.test(name) ? [] : [fieldError(path, 'Is not a valid header name')]
}
