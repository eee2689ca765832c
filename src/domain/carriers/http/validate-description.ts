// Validates an HTTP description when it is saved, and lists all errors with their paths (D48, D50).

import type { IsAllowedAddress } from '../../outbound-address.ts'
import type { FieldError } from '../../refusals.ts'
import { acceptsMessages, saidPointers } from './answer.ts'
import { CALLBACK_URL, hasCallback } from './callback.ts'
import { type AnswerRule, HTTP_BOUNDS, type HttpDescription } from './description.ts'
import { validatePoll } from './validate-poll.ts'
import { validateReceipts } from './validate-receipts.ts'
import { validateRequest } from './validate-request.ts'
import { type FieldPath, fieldError, Templates, validatePointer } from './validation.ts'

interface ValidationContext {
  /** Special addresses that the operator allows; plain http is possible only for these (D50). */
  isAllowed: IsAllowedAddress
  secretNames: readonly string[]
  /** Whether HULAKI_PUBLIC_URL is set. */
  hasPublicUrl: boolean
}

/** Paths are relative to the description. */
export function validateDescription(description: HttpDescription, context: ValidationContext): FieldError[] {
  if (JSON.stringify(description).length > HTTP_BOUNDS.description)
    return [fieldError([], `Must have at most ${HTTP_BOUNDS.description} characters as JSON`)]
  const { secretNames, hasPublicUrl } = context
  const canCallBack = hasPublicUrl && hasCallback(description.receipts)
  const templates = new Templates(canCallBack ? [...secretNames, CALLBACK_URL] : secretNames)
  return [
    ...validateRequest(description, context, templates),
    ...validateAnswer(description),
    ...validateReceipts(description, { templates, hasPublicUrl }),
    ...validatePoll(description, context),
    ...templates.errors,
  ]
}

function validateAnswer({ answer }: HttpDescription): FieldError[] {
  const { rules, id, said } = answer
  const rows = rules.reduce((sum, { table }) => sum + Object.keys(table ?? {}).length, 0)
  const errors = [
    ...validatePointer(id, ['answer', 'id']),
    ...saidPointers(said).flatMap((pointer) => validatePointer(pointer, ['answer', 'said'])),
    ...rules.flatMap((rule, index) => validateRule(rule, ['answer', 'rules', index])),
  ]
  if (rows > HTTP_BOUNDS.tableRows)
    errors.push(fieldError(['answer', 'rules'], `Must have at most ${HTTP_BOUNDS.tableRows} rows in all tables`))
  if (id === null && !rules.some(acceptsMessages))
    errors.push(fieldError(['answer'], 'Must say what success is: an id, or a rule whose outcome is accepted'))
  return errors
}

function validateRule(rule: AnswerRule, path: FieldPath): FieldError[] {
  const { status, at, is, outcome, error, table } = rule
  const errors = validatePointer(at ?? null, [...path, 'at'])
  if ((outcome === undefined) === (table === undefined))
    errors.push(fieldError(path, 'Must have an outcome or a table'))
  if (table !== undefined && at === undefined) errors.push(fieldError(path, 'A table needs "at"'))
  if (is !== undefined && at === undefined) errors.push(fieldError(path, '"is" needs "at"'))
  if (status === undefined && at === undefined) errors.push(fieldError(path, 'Must have "status" or "at"'))
  if (error !== undefined && outcome !== 'rejected')
    errors.push(fieldError([...path, 'error'], 'Only allowed with the outcome rejected'))
  return errors
}
