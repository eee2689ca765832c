// The tabs that the screens of API clients and of the API log share.
import { words } from '../words/index.ts'
import { Tabs } from './tabs.tsx'

export function ClientTabs({ open }: { open: 'clients' | 'requests' }) {
  const tabs = (['clients', 'requests'] as const).map(
    (name) => [`/${name}`, words.screens[name], name === open] as const,
  )
  return <Tabs label={words.screens.clients} of={tabs} />
}
