// The tabs of a screen. The address names the open tab, so that it can be shared and Back returns to it.
import { Link, useSearchParams } from 'wouter-preact'
import css from './tabs.module.css'

type TabLink = readonly [href: string, label: string, isOpen: boolean]

export function Tabs({ label, of }: { label: string; of: readonly TabLink[] }) {
  return (
    <nav class={css.tabs} aria-label={label}>
      {of.map(([href, name, isOpen]) => (
        <Link key={href} href={href} aria-current={isOpen ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  )
}

/** The first tab is open where the address names none. */
export function useTabs<const Name extends string>(
  path: string,
  of: readonly (readonly [name: Name, label: string])[],
): { tab: Name | undefined; links: TabLink[] } {
  const [params] = useSearchParams()
  const named = params.get('tab')
  const tab = of.find(([name]) => name === named)?.[0] ?? of[0]?.[0]
  const links = of.map(([name, label], index): TabLink => {
    const next = new URLSearchParams(params)
    next.delete('tab')
    if (index > 0) next.set('tab', name)
    return [next.size > 0 ? `${path}?${next}` : path, label, name === tab]
  })
  return { tab, links }
}
