// A field of many lines, such as a pasted file. Errors name their line, and a click selects it.
import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { words } from '../words/index.ts'
import css from './field.module.css'
import { count } from './format.ts'

export interface LineError {
  /** Null for an error of the whole text. */
  line: number | null
  message: string
}

interface Props {
  label: string
  hint?: ComponentChildren
  value: string
  set: (value: string) => void
  errors?: readonly LineError[]
  rows?: number
}

const MAX_SHOWN = 20

export function LinedField({ label, hint, value, set, errors = [], rows = 10 }: Props) {
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const go = (line: number) => {
    const element = field.current
    if (!element) return
    const lines = value.split('\n')
    const start = lines.slice(0, line - 1).reduce((sum, it) => sum + it.length + 1, 0)
    element.focus()
    element.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
    // A browser does not scroll to a selection made by a program.
    element.scrollTop = (element.scrollHeight / lines.length) * Math.max(0, line - 3)
  }
  return (
    <div class={css.field}>
      <label for={id}>{label}</label>
      <textarea
        ref={field}
        id={id}
        class={`mono ${css.lined}`}
        rows={rows}
        spellcheck={false}
        autocomplete="off"
        wrap="off"
        aria-describedby={`${id}-notes`}
        aria-invalid={errors.length > 0}
        value={value}
        onInput={(event) => set(event.currentTarget.value)}
      />
      <div id={`${id}-notes`} class={css.notes}>
        <div class={css.errors} role="alert">
          {errors.length > 0 && (
            <ul>
              {errors.slice(0, MAX_SHOWN).map(({ line, message }) => (
                <li key={`${line} ${message}`} class="bad foreign">
                  {line !== null && (
                    <button type="button" class="link" onClick={() => go(line)}>
                      {words.parts.line(count(line))}
                    </button>
                  )}{' '}
                  {message}
                </li>
              ))}
              {errors.length > MAX_SHOWN && <li>{words.parts.andMore(count(errors.length - MAX_SHOWN))}</li>}
            </ul>
          )}
        </div>
        {hint && <p class="quiet">{hint}</p>}
      </div>
    </div>
  )
}
