// Parts of a screen that are looked at one at a time; which one stands in the address.
import { Link } from 'wouter-preact'
import css from './tabs.module.css'

interface Props {
  label: string
  of: readonly (readonly [href: string, label: string, isHere: boolean])[]
}

export function Tabs({ label, of }: Props) {
  return (
    <nav class={css.tabs} aria-label={label}>
      {of.map(([href, name, isHere]) => (
        <Link key={href} href={href} aria-current={isHere ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  )
}
