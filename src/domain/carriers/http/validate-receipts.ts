// Validates the receipts of an HTTP description.
import type { Fault } from '../../refusals.ts'
import type { HttpDescription } from './description.ts'
import { RECEIPT_BOUNDS, type ReceiptCallback, type ReceiptCheck, type ReceiptReading } from './description.ts'
import { parsePlace, type ReceiptPlace } from './receipt-place.ts'
import type { Templates } from './validation.ts'
import { type FieldPath, fault, validatePointer } from './validation.ts'

interface ReceiptContext {
  templates: Templates
  /** Whether HULAKI_PUBLIC_URL is set. */
  hasPublicUrl: boolean
}

const AT = 'receipts'

export function validateReceipts({ receipts }: HttpDescription, context: ReceiptContext): Fault[] {
  if (receipts?.kind !== 'callback') return []
  const faults = validateReading(receipts.reading)
  if ((receipts.reading.id === null) === (receipts.reading.reference === null))
    faults.push(fault([AT, 'reading'], NO_IDENTIFIER))
  if (receipts.check) faults.push(...validateCheck(receipts, receipts.check, context))
  return faults
}

export const NO_IDENTIFIER = 'Must have an id or a reference to match messages'

export function validateReading(reading: ReceiptReading): Fault[] {
  const path = [AT, 'reading']
  const { list, states, codes } = reading
  const faults = validatePointer(list, [...path, 'list'])
  for (const [name, text] of placesOf(reading)) {
    const place = parsePlace(text)
    if (place === null)
      faults.push(
        fault([...path, name], 'Must be a JSON pointer, for example /id, or form:NAME, query:NAME or any:NAME'),
      )
  }
  for (const [state, { status, error }] of Object.entries(states))
    if (error !== undefined && status !== 'undelivered')
      faults.push(fault([...path, 'states', state, 'error'], 'Only allowed with the status undelivered'))
  if (Object.keys(states).length + Object.keys(codes).length > RECEIPT_BOUNDS.tableRows)
    faults.push(fault(path, `Must have at most ${RECEIPT_BOUNDS.tableRows} rows in both tables`))
  return faults
}

export function placesOf({ id, reference, state, code, to, time }: ReceiptReading): [string, string][] {
  const all = Object.entries({ id, reference, state, code, to, time })
  return all.filter((entry): entry is [string, string] => entry[1] !== null)
}

const HEADER = /^[!#$%&'*+.^_`|~\w-]{1,100}$/

function validateCheck({ reading }: ReceiptCallback, check: ReceiptCheck, context: ReceiptContext): Fault[] {
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
  const faults = validateHeader(check.header, [...path, 'header'])
  if (check.over === 'url_and_form' && !context.hasPublicUrl)
    faults.push(fault([...path, 'over'], 'Needs HULAKI_PUBLIC_URL, because the signature covers the public URL'))
  return [...faults, ...validateCover(reading, check.over)]
}

/** Unsigned values must not be read: anyone who has seen one signature could change them. */
function validateCover(reading: ReceiptReading, over: 'body' | 'url_and_form'): Fault[] {
  const covered = over === 'body' ? ['json', 'form'] : ['form', 'query']
  const isCovered = ({ kind }: ReceiptPlace) => covered.includes(kind)
  const bare = placesOf(reading).filter(([, text]) => {
    const place = parsePlace(text)
    return place !== null && !isCovered(place)
  })
  return bare.map(([name]) => fault([AT, 'reading', name], `Is not covered by the signature (${over})`))
}

function validateHeader(name: string, path: FieldPath): Fault[] {
  return HEADER.test(name) ? [] : [fault(path, 'Is not a valid header name')]
}
