// The frame of every screen, and the head of its sections: a title, actions, and the content.
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { useTimeZone } from '../caller.ts'
import { words } from '../words/index.ts'
import { Icon } from './icon.tsx'
import { MenuButton } from './menu-button.tsx'
import css from './page.module.css'

interface Props {
  title: string
  /** Beside the title, such as a status. */
  about?: ComponentChildren
  /** The screens above this one. */
  parents?: readonly (readonly [href: string, name: string])[]
  /** The short name of this screen after its parents, such as an ID. */
  here?: string
  /** Names the time zone of the times on this screen. */
  hasTimes?: boolean
  /** Whether the screen updates by itself. */
  live?: ComponentChildren
  actions?: ComponentChildren
  /** Buttons before the actions; on a phone they are in a menu. */
  more?: ComponentChildren
  children: ComponentChildren
}

export function Page(props: Props) {
  const { title, about, parents = [], here, hasTimes = false, live, actions, more, children } = props
  useEffect(() => {
    document.title = `${title} · Hulaki`
  }, [title])
  return (
    <div class={css.page}>
      <header class={`${css.header} ${parents.length > 0 ? css.detail : ''}`}>
        {parents.length > 0 && (
          <nav class={css.crumbs} aria-label={words.shell.parents}>
            {parents.map(([href, name]) => (
              <Link key={href} href={href}>
                {name}
              </Link>
            ))}
            {here !== undefined && (
              <span class="mono">
                <Icon name="right" />
                {here}
              </span>
            )}
          </nav>
        )}
        <div class={css.head}>
          <h1 tabIndex={-1} class="foreign">
            {title}
          </h1>
          <div class={css.beside}>
            {about !== undefined && <span class={css.about}>{about}</span>}
            {live}
            {hasTimes && <TimesNote />}
          </div>
          {(actions !== undefined || more !== undefined) && (
            <div class={`row ${css.actions}`}>
              {more && (
                <div class={css.more}>
                  <MenuButton label={words.parts.moreActions} icon="more">
                    <div class={css.items}>{more}</div>
                  </MenuButton>
                </div>
              )}
              {actions}
            </div>
          )}
        </div>
      </header>
      {children}
    </div>
  )
}

function TimesNote() {
  return <span class={`meta ${css.times}`}>{words.shell.timesIn(useTimeZone())}</span>
}

interface SectionHeadProps {
  title: string
  note?: ComponentChildren
  /** The actions, at the end of the line. */
  children?: ComponentChildren
}

export function SectionHead({ title, note, children }: SectionHeadProps) {
  return (
    <div class={css.section}>
      <h2>{title}</h2>
      {note && <span class="meta">{note}</span>}
      <span class="row push">{children}</span>
    </div>
  )
}
