// Text of many lines, such as a file that was pasted: what is wrong is told with its line, and a click leads there.
import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { words } from '../words/index.ts'
import css from './field.module.css'
import { count } from './format.ts'

export interface LineFault {
  /** null where it belongs to no line. */
  line: number | null
  message: string
}

interface Props {
  label: string
  hint?: ComponentChildren
  value: string
  set: (value: string) => void
  faults?: readonly LineFault[]
  rows?: number
}

const MOST_TOLD = 20

export function LinedField({ label, hint, value, set, faults = [], rows = 10 }: Props) {
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const go = (line: number) => {
    const element = field.current
    if (!element) return
    const lines = value.split('\n')
    const start = lines.slice(0, line - 1).reduce((sum, it) => sum + it.length + 1, 0)
    element.focus()
    element.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
    // A browser does not scroll to what is chosen by a program.
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
        aria-invalid={faults.length > 0}
        value={value}
        onInput={(event) => set(event.currentTarget.value)}
      />
      <div id={`${id}-notes`} class={css.notes}>
        <div class={css.faults} role="alert">
          {faults.length > 0 && (
            <ul>
              {faults.slice(0, MOST_TOLD).map(({ line, message }) => (
                <li key={`${line} ${message}`} class="bad foreign">
                  {line !== null && (
                    <button type="button" class="link" onClick={() => go(line)}>
                      {words.parts.line(count(line))}
                    </button>
                  )}{' '}
                  {message}
                </li>
              ))}
              {faults.length > MOST_TOLD && <li>{words.parts.andMore(count(faults.length - MOST_TOLD))}</li>}
            </ul>
          )}
        </div>
        {hint && <p class="quiet">{hint}</p>}
      </div>
    </div>
  )
}
