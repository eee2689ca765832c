// Decides whether a text is an instance of a template, literal by literal and in bounded time (§4.1).
import { LINE_BREAK, MAX_VALUE_CHARACTERS, type ParsedTemplate } from './template.ts'

// The state of one text over all templates. `map` is null for one line without surrogate pairs, where characters and positions are equal.
export type Scan = { text: string; map: TextMap | null; placesLeft: number }

// For each position of a text, the number of characters before it and the start of its line, so that a value is checked without reading it.
type TextMap = { characters: Int32Array; lineStarts: Int32Array }

// Customers control both sides, and matching repeated variables is NP-complete in general. A text may therefore examine this many places over all
// templates (about 10 ms); other work is converted into places. Beyond the limit nothing matches, so no unapproved text passes. A template sent by
// its id needs no search.
const MAX_PLACES = 600_000
const PLACES_PER_TEMPLATE = 20
const PLACES_PER_POSITION = 3
const PLACES_PER_STEP = 50
const PLACES_PER_VALUE = 10
/** A failed search for a literal also takes time. */
const CHARACTERS_PER_PLACE = 32

export function startScan(text: string): Scan {
  const isPlain = !LINE_BREAK.test(text) && !/[\ud800-\udfff]/.test(text)
  return { text, map: isPlain ? null : mapText(text), placesLeft: MAX_PLACES }
}

function mapText(text: string): TextMap {
  const characters = new Int32Array(text.length + 1)
  for (let at = 0; at < text.length; at++) {
    const isSecondOfPair = (text.charCodeAt(at) & 0xfc00) === 0xdc00
    characters[at + 1] = (characters[at] ?? 0) + (isSecondOfPair ? 0 : 1)
  }
  const lineStarts = new Int32Array(text.length + 1)
  let lineStart = 0
  for (const line of text.split(LINE_BREAK)) {
    lineStarts.fill(lineStart, lineStart, lineStart + line.length + 1)
    lineStart += line.length + 1
  }
  return { characters, lineStarts }
}

export function isInstance(scan: Scan, template: ParsedTemplate): boolean {
  const { literals, variables } = template
  const [first = ''] = literals
  if (variables.length === 0) return scan.text === first
  if (!scan.text.startsWith(first) || !scan.text.endsWith(literals.at(-1) ?? '')) return false
  if (followTemplate(scan, template).step < variables.length || scan.placesLeft < 0) return false
  const repeated = new Set(variables.filter((variable, index) => variables.indexOf(variable) < index))
  if (repeated.size === 0) return true
  return agrees(scan, { ...template, repeated, bound: new Map() }, { step: 0, positions: [first.length] })
}

// How far a text follows a template if repeated variables may differ: past this many variables, to any of these positions. All positions are
// followed together, so readings never multiply.
export function followTemplate(scan: Scan, template: ParsedTemplate): MatchState {
  let reading: MatchState = { step: 0, positions: [template.literals[0]?.length ?? 0] }
  scan.placesLeft -= PLACES_PER_TEMPLATE + scan.text.length / CHARACTERS_PER_PLACE
  while (reading.step < template.variables.length && scan.placesLeft >= 0) {
    const positions = afterAnyValue(gapAt(scan, template, reading))
    scan.placesLeft -= positions.length * PLACES_PER_POSITION
    if (positions.length === 0) break
    reading = { step: reading.step + 1, positions }
  }
  return reading
}

// The same, but a repeated variable is tried value by value and stays bound to its value.
type Search = ParsedTemplate & { repeated: ReadonlySet<string>; bound: Map<string, string> }
type MatchState = { step: number; positions: number[] }

function agrees(scan: Scan, search: Search, reading: MatchState): boolean {
  const variable = search.variables[reading.step]
  if (reading.positions.length === 0 || variable === undefined) return reading.positions.length > 0
  scan.placesLeft -= PLACES_PER_STEP + reading.positions.length
  if (scan.placesLeft < 0) return false
  const gap = gapAt(scan, search, reading)
  const step = reading.step + 1
  const value = search.bound.get(variable)
  if (value !== undefined) return agrees(scan, search, { step, positions: afterValue(gap, value) })
  if (!search.repeated.has(variable)) return agrees(scan, search, { step, positions: afterAnyValue(gap) })
  for (const [each, positions] of afterEachValue(gap)) {
    search.bound.set(variable, each)
    if (agrees(scan, search, { step, positions })) return true
  }
  search.bound.delete(variable)
  return false
}

// A variable that starts at any of the positions and ends at the next literal; the last literal must end the text.
type Gap = { scan: Scan; positions: number[]; literal: string; isLast: boolean }

function gapAt(scan: Scan, { literals, variables }: ParsedTemplate, { step, positions }: MatchState): Gap {
  return { scan, positions, literal: literals[step + 1] ?? '', isLast: step + 1 === variables.length }
}

// The nearest position before a place decides: if its value is too long or has a line break, so is every other's.
function afterAnyValue(gap: Gap): number[] {
  const next: number[] = []
  let nearest = gap.positions[0] ?? 0
  let upcoming = 0
  for (const place of placesOf(gap, nearest + 1, (gap.positions.at(-1) ?? 0) + REACH)) {
    for (let at = gap.positions[upcoming]; at !== undefined && at < place; at = gap.positions[++upcoming]) nearest = at
    if (canBeValue(gap.scan, nearest, place)) next.push(place + gap.literal.length)
  }
  return next
}

function afterEachValue(gap: Gap): Map<string, number[]> {
  const next = new Map<string, number[]>()
  for (const position of gap.positions) {
    const places = placesOf(gap, position + 1, position + REACH)
    gap.scan.placesLeft -= places.length * PLACES_PER_VALUE
    for (const place of places) {
      if (!canBeValue(gap.scan, position, place)) break
      next.getOrInsert(gap.scan.text.slice(position, place), []).push(place + gap.literal.length)
    }
  }
  return next
}

function afterValue({ scan, positions, literal, isLast }: Gap, value: string): number[] {
  const whole = value + literal
  const ends = positions
    .filter((position) => scan.text.startsWith(whole, position))
    .map((start) => start + whole.length)
  return isLast ? ends.filter((end) => end === scan.text.length) : ends
}

// The places of the literal between two positions, inclusive.
function placesOf({ scan, literal, isLast }: Gap, from: number, to: number): number[] {
  const ending = scan.text.length - literal.length
  if (isLast) return from <= ending && ending <= to && scan.text.endsWith(literal) ? [ending] : []
  const places: number[] = []
  for (let at = scan.text.indexOf(literal, from); at !== -1 && at <= to; at = scan.text.indexOf(literal, at + 1)) {
    places.push(at)
  }
  return places
}

// The longest value in code units, if every character is a surrogate pair.
const REACH = 2 * MAX_VALUE_CHARACTERS

function canBeValue({ map }: Scan, from: number, to: number): boolean {
  if (map === null) return to - from <= MAX_VALUE_CHARACTERS
  const { characters, lineStarts } = map
  return (characters[to] ?? 0) - (characters[from] ?? 0) <= MAX_VALUE_CHARACTERS && (lineStarts[to] ?? 0) <= from
}
