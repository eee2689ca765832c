// One step: done, with its time, or open, with instructions.
import type { ComponentChildren } from 'preact'
import { Moment } from '../parts/moment.tsx'
import { words } from '../words/index.ts'
import css from './screen.module.css'

interface Props {
  name: string
  doneAt: string | null
  children: ComponentChildren
}

export function Step({ name, doneAt, children }: Props) {
  const isDone = doneAt !== null
  return (
    <li class={`card ${css.step}`}>
      <span class={isDone ? css.done : css.open} aria-hidden="true">
        {isDone ? '✓' : ''}
      </span>
      <div class="stack">
        <div class="row">
          <h2>{name}</h2>
          <span class={isDone ? 'good' : 'quiet'}>{isDone ? words.start.done : words.start.notYet}</span>
          {isDone && (
            <span class="quiet">
              <Moment at={doneAt} />
            </span>
          )}
        </div>
        {children}
      </div>
    </li>
  )
}
