// Finds the template closest to a rejected text, and the first difference (§4.1).
import { MAX_VALUE_CHARACTERS, type ParsedTemplate } from './template.ts'
import { followTemplate, type Scan, startScan } from './template-scan.ts'

type Difference = {
  // Counted from 0, as in JavaScript: text.slice(position) is what differs.
  position: number
  // A description or a quotation.
  expected: string
  found: string
}

type NamedTemplate = { id: string; name: string; template: ParsedTemplate }
type Nearest = { id: string; name: string; difference: Difference }

// The first limit is for comparing beginnings, the second for full comparisons: a free response must be cheap for every workspace.
const MAX_CANDIDATES = 5_000
const MAX_COMPARED = 20
const MAX_PLACES = 100_000

// The template whose fixed text the text follows furthest; null without templates.
export function findClosestTemplate(templates: Iterable<NamedTemplate>, text: string): Nearest | null {
  const candidates = Iterator.from(templates)
    .take(MAX_CANDIDATES)
    .map((it) => ({ ...it, agreed: agreement(it.template.literals[0] ?? '', text) }))
    .toArray()
    .sort((one, other) => other.agreed - one.agreed)
    .slice(0, MAX_COMPARED)
  const scan = { ...startScan(text), placesLeft: MAX_PLACES }
  const compared = candidates.map(({ id, name, template }) => ({ id, name, ...compare(scan, template) }))
  const [nearest] = compared.sort((one, other) => other.agreed - one.agreed)
  return nearest ? { id: nearest.id, name: nearest.name, difference: nearest.difference } : null
}

// How much of the fixed text matches, and the first difference.
type Comparison = { agreed: number; difference: Difference }

function compare(scan: Scan, template: ParsedTemplate): Comparison {
  const { text } = scan
  const { literals, variables } = template
  const [first = ''] = literals
  const agreed = agreement(first, text)
  if (agreed < first.length) return { agreed, difference: differenceAt(text, agreed, quote(first.slice(agreed))) }
  if (variables.length === 0) return { agreed, difference: differenceAt(text, agreed, END) }
  const { step, positions } = followTemplate(scan, template)
  const before = literals.slice(0, step + 1).join('').length
  const variable = variables[step]
  // All literals match, so the values of a repeated variable differ.
  if (variable === undefined)
    return { agreed: before, difference: differenceAt(text, first.length, disagreement(template)) }
  const isLast = step + 1 === variables.length
  const missing = compareLiteral(text, { literal: literals[step + 1] ?? '', isLast, variable, from: positions[0] ?? 0 })
  return { agreed: before + missing.agreed, difference: missing.difference }
}

type MissingLiteral = { literal: string; isLast: boolean; variable: string; from: number }

// The literal does not follow the variable that begins at `from`. Finds where the literal begins and where it differs.
function compareLiteral(text: string, { literal, isLast, variable, from }: MissingLiteral): Comparison {
  const { place, length } = longestStart(text, literal, from + 1)
  const value = `{{${variable}}}, 1 to ${MAX_VALUE_CHARACTERS} characters without a line break`
  if (length === 0) {
    return {
      agreed: 0,
      difference: differenceAt(text, from, literal === '' ? value : `${value}, and then ${quote(literal)}`),
    }
  }
  if (length < literal.length) {
    return { agreed: length, difference: differenceAt(text, place + length, quote(literal.slice(length))) }
  }
  // The literal is there, but too far away, after a line break, or with more text after it.
  const end = text.lastIndexOf(literal) + length
  return isLast && end < text.length
    ? { agreed: length, difference: differenceAt(text, end, END) }
    : { agreed: 0, difference: differenceAt(text, from, value) }
}

// The longest beginning of a literal in the text from a position on, by binary search.
function longestStart(text: string, literal: string, from: number): { place: number; length: number } {
  let found = { place: from, length: 0 }
  let tooLong = literal.length + 1
  while (tooLong - found.length > 1) {
    const length = (found.length + tooLong) >> 1
    const place = text.indexOf(literal.slice(0, length), from)
    if (place === -1) tooLong = length
    else found = { place, length }
  }
  return found
}

function disagreement({ variables }: ParsedTemplate): string {
  const repeated = variables.find((variable, index) => variables.indexOf(variable) < index)
  return `the same value for every {{${repeated}}}`
}

const END = 'the end of the text'
const MAX_SHOWN = 40

function differenceAt(text: string, position: number, expected: string): Difference {
  return { position, expected, found: position < text.length ? quote(text.slice(position)) : END }
}

function quote(text: string): string {
  return text.length <= MAX_SHOWN ? `'${text.toWellFormed()}'` : `'${text.slice(0, MAX_SHOWN).toWellFormed()}…'`
}

// The length of the common beginning of two texts.
function agreement(one: string, other: string): number {
  let length = 0
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length += 1
  return length
}
