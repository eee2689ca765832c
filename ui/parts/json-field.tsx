// JSON that is written by hand: where it is none, and what the service says of a field, is told at its line.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Fault } from '../api/fault.ts'
import { words } from '../words/index.ts'
import { lineOf, readJson } from './json-place.ts'
import { LinedField, type LineFault } from './lined-field.tsx'

interface Props {
  label: string
  hint?: ComponentChildren
  value: string
  set: (value: string) => void
  /** Told once somebody wanted to go on. */
  isJudged: boolean
  fault: Fault | null
  /** Where in what was sent the text stood. */
  under?: string
}

export function JsonField({ label, hint, value, set, isJudged, fault, under }: Props) {
  const faults = isJudged ? jsonFaults(value, fault, under) : []
  // It stays as high as it began, so that nothing moves while somebody writes.
  const [rows] = useState(() => Math.min(24, Math.max(6, value.split('\n').length + 1)))
  return <LinedField label={label} hint={hint} value={value} set={set} faults={faults} rows={rows} />
}

export function jsonFaults(text: string, fault: Fault | null, under?: string): LineFault[] {
  const read = readJson(text)
  if (!read.ok) return [{ line: read.line, message: words.parts.invalidJson }]
  return (fault?.details ?? []).filter(isUnder(under)).map(({ path, message }) => {
    const inner = under === undefined ? path : path.slice(1)
    return { line: lineOf(text, inner), message: `${inner.join('.')} ${message}`.trim() }
  })
}

/** Whether all that is wrong is told at its line, so that it need not be told once more. */
export function isToldInJson(fault: Fault | null, under?: string): boolean {
  return fault !== null && fault.details.length > 0 && fault.details.every(isUnder(under))
}

function isUnder(under: string | undefined) {
  return ({ path }: Fault['details'][number]) => under === undefined || path[0] === under
}
