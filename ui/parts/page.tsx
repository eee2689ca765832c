// The frame of every screen, and the head of its sections: a title, actions, and the content.
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

interface SectionHeadProps {
  title: string
  note?: ComponentChildren
  /** The actions, at the end of the line. */
  children?: ComponentChildren
}

export function SectionHead({ title, note, children }: SectionHeadProps) {
  return (
    <div class="row">
      <h2>{title}</h2>
      {note && <span class="quiet">{note}</span>}
      <span class="row push">{children}</span>
    </div>
  )
}
