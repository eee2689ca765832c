// Templates: text with {{variables}} that the operator approved, and their rendering (§2.5, §4.1).
import { lineFault, MAX_SEGMENTS, measureText, type TextFault, textFault } from '../text-encoding.ts'

// Literals and variables in turn, a literal first and last, either of which may be empty: one literal more than variables.
export type ParsedTemplate = { literals: string[]; variables: string[] }

export type TemplateFault =
  | TextFault
  | 'unclear_braces'
  | 'bad_variable_name'
  | 'adjacent_variables'
  | 'no_fixed_text'
  | 'too_many_variables'
  | 'too_long'

type VariableFault = {
  variable: string
  why: TextFault | 'missing' | 'unknown' | 'empty' | 'too_long' | 'line_break' | 'inexact_number'
}

export const MAX_PLACEHOLDERS = 60

// §4.1: a value has 1 to 100 characters. A character is a code point, so an emoji is one, as people count it.
export const MAX_VALUE_CHARACTERS = 100

// §4.1: 'without a line break' means of any kind Unicode knows.
export const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/

export function parseTemplate(
  text: string,
): { ok: true; template: ParsedTemplate } | { ok: false; why: TemplateFault } {
  const parts = text.split(/\{\{([^{}]*)\}\}/)
  const literals = parts.filter((_, index) => index % 2 === 0)
  const variables = parts.filter((_, index) => index % 2 === 1).map((name) => name.trim())
  const template = { literals, variables }
  const why = textFault(text) ?? (/\{{3}|\}{3}/.test(text) ? 'unclear_braces' : templateFault(template))
  return why ? { ok: false, why } : { ok: true, template }
}

function templateFault({ literals, variables }: ParsedTemplate): TemplateFault | null {
  if (literals.some((literal) => /\{\{|\}\}/.test(literal))) return 'unclear_braces'
  if (!variables.every((name) => /^[a-z0-9][a-z0-9_]{0,39}$/i.test(name))) return 'bad_variable_name'
  if (variables.length > MAX_PLACEHOLDERS) return 'too_many_variables'
  // Nobody could say where one value ends and the next begins.
  if (literals.slice(1, -1).includes('')) return 'adjacent_variables'
  // Approval of a template must not be a blank cheque for any text at all.
  if (!/[\p{L}\p{N}]/u.test(literals.join(''))) return 'no_fixed_text'
  // Even with values of one character it could never be sent.
  return measureText(literals.join('x')).segments > MAX_SEGMENTS ? 'too_long' : null
}

// Every variable is required, no unknown ones (§4.1). A variable used twice has the same value in both places.
export function renderTemplate(
  { literals, variables }: ParsedTemplate,
  values: Readonly<Record<string, string | number>>,
): { ok: true; text: string } | { ok: false; faults: VariableFault[] } {
  const given = new Map(Object.entries(values))
  const faults = variableFaults(new Set(variables), given)
  if (faults.length > 0) return { ok: false, faults }
  const text = literals.map((literal, index) => literal + (given.get(variables[index] ?? '') ?? '')).join('')
  return { ok: true, text }
}

function variableFaults(wanted: Set<string>, values: Map<string, string | number>): VariableFault[] {
  const names = [...wanted.union(new Set(values.keys()))]
  return names.flatMap((variable) => {
    const why = wanted.has(variable) ? valueFault(values.get(variable)) : 'unknown'
    return why ? [{ variable, why }] : []
  })
}

function valueFault(value: string | number | undefined): VariableFault['why'] | null {
  if (value === undefined) return 'missing'
  if (typeof value === 'number') return isExact(value) ? null : 'inexact_number'
  if (value === '') return 'empty'
  if ([...value].length > MAX_VALUE_CHARACTERS) return 'too_long'
  if (LINE_BREAK.test(value)) return 'line_break'
  return lineFault(value)
}

// D37: it has been rounded to a double before anybody sees it. A whole number survives that up to 2^53, and any other with at
// most 15 digits (1.10 is 1.1 to JSON: the same number); what has more was cut, or never meant (0.30000000000000004).
function isExact(value: number): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value)
  const printed = String(value)
  return /^-?[\d.]+$/.test(printed) && printed.replace(/^-?[0.]+|\D/g, '').length <= 15
}
