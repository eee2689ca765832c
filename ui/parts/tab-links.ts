// Which part of a screen is looked at stands in the address, beside what else does.
import { useSearchParams } from 'wouter-preact'

type Link = readonly [href: string, label: string, isHere: boolean]

/** The first is looked at where the address says nothing. */
export function useTabs<const Name extends string>(
  path: string,
  of: readonly (readonly [name: Name, label: string])[],
): { tab: Name | undefined; links: Link[] } {
  const [params] = useSearchParams()
  const asked = params.get('tab')
  const tab = of.find(([name]) => name === asked)?.[0] ?? of[0]?.[0]
  const links = of.map(([name, label], index): Link => {
    const next = new URLSearchParams(params)
    next.delete('tab')
    if (index > 0) next.set('tab', name)
    return [next.size > 0 ? `${path}?${next}` : path, label, name === tab]
  })
  return { tab, links }
}
