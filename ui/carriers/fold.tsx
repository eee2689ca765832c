// A part of a form or a card that is folded at first, with one line about its content.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../parts/icon.tsx'
import css from './carriers.module.css'

interface Props {
  title: string
  summary?: string
  /** Opens the fold each time it changes, such as an error of a folded field. */
  opensOn?: object | null
  children: ComponentChildren
}

export function Fold({ title, summary, opensOn = null, children }: Props) {
  const element = useRef<HTMLDetailsElement>(null)
  useLayoutEffect(() => {
    if (opensOn && element.current) element.current.open = true
  }, [opensOn])
  return (
    <details ref={element} class={css.fold}>
      <summary>
        <Icon name="right" />
        <span>{title}</span>
        {summary && <span class="meta">{summary}</span>}
      </summary>
      <div class={`stack ${css.folded}`}>{children}</div>
    </details>
  )
}
