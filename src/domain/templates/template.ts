// Templates: approved text with {{variables}}, and its rendering (§2.5, §4.1).
import { lineError, MAX_SEGMENTS, measureText, type TextError, textError } from '../text-encoding.ts'

// Literals and variables alternate, with a literal first and last, either of which may be empty: one literal more than variables.
export type ParsedTemplate = { literals: string[]; variables: string[] }

export type TemplateError =
  | TextError
  | 'unclear_braces'
  | 'bad_variable_name'
  | 'adjacent_variables'
  | 'no_fixed_text'
  | 'too_many_variables'
  | 'too_long'

type VariableError = {
  variable: string
  why: TextError | 'missing' | 'unknown' | 'empty' | 'too_long' | 'line_break' | 'inexact_number'
}

export const MAX_PLACEHOLDERS = 60

// §4.1: a value has 1 to 100 characters. A character is a code point, so an emoji counts as one.
export const MAX_VALUE_CHARACTERS = 100

// §4.1: every line break of Unicode.
export const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/

export function parseTemplate(
  text: string,
): { ok: true; template: ParsedTemplate } | { ok: false; why: TemplateError } {
  const parts = text.split(/\{\{([^{}]*)\}\}/)
  const literals = parts.filter((_, index) => index % 2 === 0)
  const variables = parts.filter((_, index) => index % 2 === 1).map((name) => name.trim())
  const template = { literals, variables }
  const why = textError(text) ?? (/\{{3}|\}{3}/.test(text) ? 'unclear_braces' : templateError(template))
  return why ? { ok: false, why } : { ok: true, template }
}

function templateError({ literals, variables }: ParsedTemplate): TemplateError | null {
  if (literals.some((literal) => /\{\{|\}\}/.test(literal))) return 'unclear_braces'
  if (!variables.every((name) => /^[a-z0-9][a-z0-9_]{0,39}$/i.test(name))) return 'bad_variable_name'
  if (variables.length > MAX_PLACEHOLDERS) return 'too_many_variables'
  // The end of one value and the start of the next would be ambiguous.
  if (literals.slice(1, -1).includes('')) return 'adjacent_variables'
  // An approved template must not match every text.
  if (!/[\p{L}\p{N}]/u.test(literals.join(''))) return 'no_fixed_text'
  // Too long even with values of one character.
  return measureText(literals.join('x')).segments > MAX_SEGMENTS ? 'too_long' : null
}

// Every variable is required, and unknown ones are rejected (§4.1). A repeated variable has one value.
export function renderTemplate(
  { literals, variables }: ParsedTemplate,
  values: Readonly<Record<string, string | number>>,
): { ok: true; text: string } | { ok: false; errors: VariableError[] } {
  const given = new Map(Object.entries(values))
  const errors = variableErrors(new Set(variables), given)
  if (errors.length > 0) return { ok: false, errors }
  const text = literals.map((literal, index) => literal + (given.get(variables[index] ?? '') ?? '')).join('')
  return { ok: true, text }
}

function variableErrors(wanted: Set<string>, values: Map<string, string | number>): VariableError[] {
  const names = [...wanted.union(new Set(values.keys()))]
  return names.flatMap((variable) => {
    const why = wanted.has(variable) ? valueError(values.get(variable)) : 'unknown'
    return why ? [{ variable, why }] : []
  })
}

function valueError(value: string | number | undefined): VariableError['why'] | null {
  if (value === undefined) return 'missing'
  if (typeof value === 'number') return isExact(value) ? null : 'inexact_number'
  if (value === '') return 'empty'
  if ([...value].length > MAX_VALUE_CHARACTERS) return 'too_long'
  if (LINE_BREAK.test(value)) return 'line_break'
  return lineError(value)
}

// D37: JSON parsing has already rounded the number to a double. A whole number is exact up to 2^53, any other with at most 15 digits. A number
// with more digits was rounded, or is a computation error (0.30000000000000004).
function isExact(value: number): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value)
  const printed = String(value)
  return /^-?[\d.]+$/.test(printed) && printed.replace(/^-?[0.]+|\D/g, '').length <= 15
}
