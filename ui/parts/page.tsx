// The frame of every screen: its title, its actions, and its content.
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import css from './page.module.css'

interface Props {
  title: string
  /** Text from outside, such as a name, beside the title. */
  about?: string | undefined
  actions?: ComponentChildren
  children: ComponentChildren
}

export function Page({ title, about, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Hulaki`
  }, [title])
  return (
    <div class={css.page}>
      <header class={css.head}>
        <h1 tabIndex={-1}>
          {title} {about !== undefined && <span class={`foreign ${css.about}`}>{about}</span>}
        </h1>
        <div class={`row ${css.actions}`}>{actions}</div>
      </header>
      {children}
    </div>
  )
}
