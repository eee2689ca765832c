// A JSON editor: syntax errors and errors of the API are shown with their line.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ApiError } from '../api/api-error.ts'
import { words } from '../words/index.ts'
import type { MutationState } from './field.tsx'
import { lineOf, readJson } from './json-place.ts'
import { LinedField, type LineError } from './lined-field.tsx'

interface Props {
  label: string
  hint?: ComponentChildren
  value: string
  set: (value: string) => void
  /** True after a submit: errors are shown from then on. */
  isSubmitted: boolean
  error: ApiError | null
  /** The field of the body that holds the text. */
  under?: string
}

export function JsonField({ label, hint, value, set, isSubmitted, error, under }: Props) {
  const errors = isSubmitted ? jsonErrors(value, error, under) : []
  // The height stays, so that the form does not move while the user types.
  const [rows] = useState(() => Math.min(24, Math.max(6, value.split('\n').length + 1)))
  return <LinedField label={label} hint={hint} value={value} set={set} errors={errors} rows={rows} />
}

function jsonErrors(text: string, error: ApiError | null, under?: string): LineError[] {
  const read = readJson(text)
  if (!read.ok) return [{ line: read.line, message: words.parts.invalidJson }]
  return (error?.details ?? []).filter(isUnder(under)).map(({ path, message }) => {
    const inner = under === undefined ? path : path.slice(1)
    return { line: lineOf(text, inner), message: `${inner.join('.')} ${message}`.trim() }
  })
}

/** Where the field shows every error, the form shows none. */
export function withoutJsonErrors({ isPending, error }: MutationState, under?: string): MutationState {
  const isShownInField = error !== null && error.details.length > 0 && error.details.every(isUnder(under))
  return { isPending, error: isShownInField ? null : error }
}

function isUnder(under: string | undefined) {
  return ({ path }: ApiError['details'][number]) => under === undefined || path[0] === under
}
