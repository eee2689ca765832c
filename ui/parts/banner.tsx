// A notice above the content of a screen, with an icon and a tone.
import type { ComponentChildren } from 'preact'
import css from './banner.module.css'
import { Icon, type IconName } from './icon.tsx'
import type { Tone } from './status.tsx'

interface Props {
  tone: Tone
  /** Announced to screen readers when it appears. */
  isAnnounced?: boolean
  children: ComponentChildren
}

const ICONS: Record<Tone, IconName> = { good: 'check', info: 'info', warn: 'alert', bad: 'alert', idle: 'info' }

export function Banner({ tone, isAnnounced = false, children }: Props) {
  return (
    <div class={`${css.banner} ${css[tone]}`} role={isAnnounced ? 'status' : 'note'}>
      <Icon name={ICONS[tone]} />
      <div class={css.body}>{children}</div>
    </div>
  )
}
