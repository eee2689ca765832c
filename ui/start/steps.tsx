// The four steps in a row: done with a time, the next one, and the open ones.
import type { ComponentChildren } from 'preact'
import type { Start } from '../api/calls.ts'
import { Icon } from '../parts/icon.tsx'
import { Moment } from '../parts/moment.tsx'
import { words } from '../words/index.ts'
import css from './screen.module.css'

type StepName = Start['steps'][number]['step']

interface Props {
  start: Start
  /** What to do for a step that is not done. */
  hints: Partial<Record<StepName, ComponentChildren>>
}

export function Steps({ start: { steps }, hints }: Props) {
  const next = steps.findIndex(({ doneAt }) => doneAt === null)
  return (
    <ol class={`card ${css.steps}`}>
      {steps.map(({ step, doneAt }, index) => (
        <li key={step} class={doneAt ? css.done : index === next ? css.next : undefined}>
          <span class={css.tick} aria-hidden="true">
            {doneAt ? <Icon name="check" /> : index + 1}
          </span>
          <span class={css.two}>
            <h2>{words.start.steps[step]}</h2>
            <span class="meta">
              {doneAt ? (
                <>
                  {words.start.done} <Moment at={doneAt} />
                </>
              ) : (
                (hints[step] ?? words.start.notYet)
              )}
            </span>
          </span>
        </li>
      ))}
    </ol>
  )
}

const WIDTH = 96

/** How many steps are done, as a bar and in words. */
export function Progress({ done, of }: { done: number; of: number }) {
  return (
    <span class={`row ${css.count}`}>
      <svg class={css.progress} viewBox={`0 0 ${WIDTH} 6`} aria-hidden="true">
        <rect width={WIDTH} height="6" rx="3" />
        <rect width={(WIDTH * done) / of} height="6" rx="3" />
      </svg>
      <span class="meta">{words.start.progress(done, of)}</span>
    </span>
  )
}
