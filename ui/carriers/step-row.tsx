// The steps of a new carrier in a row. Steps that can still be changed are links.
import { Link } from 'wouter-preact'
import { count } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { words } from '../words/index.ts'
import css from './wizard.module.css'

export const STEPS = ['provider', 'connection', 'test', 'route'] as const
export type StepName = (typeof STEPS)[number]

interface Props {
  current: StepName
  /** The address of a step, or null where it cannot be opened. */
  hrefOf: (step: StepName) => string | null
}

export function StepRow({ current, hrefOf }: Props) {
  const at = STEPS.indexOf(current)
  return (
    <ol class={`card ${css.steps}`} aria-label={words.newCarrier.progress}>
      {STEPS.map((step, index) => {
        const href = index === at ? null : hrefOf(step)
        const name = words.newCarrier.steps[step]
        return (
          <li
            key={step}
            class={index < at ? css.done : index === at ? css.current : undefined}
            aria-current={index === at ? 'step' : undefined}
          >
            <span class={css.tick} aria-hidden="true">
              {index < at ? <Icon name="check" /> : count(index + 1)}
            </span>
            <span class={css.stepName}>{href === null ? name : <Link href={href}>{name}</Link>}</span>
          </li>
        )
      })}
    </ol>
  )
}
