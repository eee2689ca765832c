// A button that opens a small menu below it, such as the choices of a filter.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { count } from './format.ts'
import { Icon, type IconName } from './icon.tsx'
import css from './menu-button.module.css'

/** The width of a menu, and its distance to the edge of the window. */
const WIDTH = 240
const MARGIN = 8

interface Props {
  label: string
  /** Shown instead of the label, which then is for screen readers. */
  icon?: IconName
  /** How many values are chosen. */
  chosen?: number
  /** A function renders the content while the menu is open. */
  children: ComponentChildren | ((close: () => void) => ComponentChildren)
}

export function MenuButton({ label, icon, chosen = 0, children }: Props) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  /** The place is known only at run time, so the CSSOM sets it. */
  const place = () => {
    const at = button.current?.getBoundingClientRect()
    if (!at || !menu.current) return
    const { style } = menu.current
    style.top = `${at.bottom + 4}px`
    const { clientWidth } = document.documentElement
    style.left = `${Math.max(MARGIN, Math.min(at.left, clientWidth - WIDTH - MARGIN))}px`
  }
  // The button moves when the page scrolls or the window changes.
  useEffect(() => {
    if (!isOpen) return
    const moves = ['resize', 'scroll']
    for (const name of moves) addEventListener(name, place, true)
    return () => {
      for (const name of moves) removeEventListener(name, place, true)
    }
  }, [isOpen])
  return (
    <>
      <button
        ref={button}
        type="button"
        popovertarget={id}
        aria-expanded={isOpen}
        aria-label={icon && label}
        class={icon ? 'square' : css.button}
      >
        {icon ? <Icon name={icon} /> : label}
        {chosen > 0 && <span class={css.count}>{count(chosen)}</span>}
        {!icon && <Icon name="down" />}
      </button>
      <div
        id={id}
        ref={menu}
        popover="auto"
        class={css.menu}
        onBeforeToggle={place}
        onToggle={(event) => setOpen(event.newState === 'open')}
      >
        {typeof children === 'function' ? isOpen && children(() => menu.current?.hidePopover()) : children}
      </div>
    </>
  )
}
