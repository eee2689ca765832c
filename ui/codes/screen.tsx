// Verify: OTPs sent, delivered and verified, by day and by prefix; the events and the allow list of the fraud guard.
import { useCall } from '../api/use.ts'
import { useCan, useWorkspace } from '../caller.ts'
import { Curl } from '../parts/curl.tsx'
import { DaysChoice, DEFAULT_DAYS, queryOf } from '../parts/days.tsx'
import { Page } from '../parts/page.tsx'
import { Tabs, useTabs } from '../parts/tabs.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { AllowList } from './allow-list.tsx'
import { FraudEvents } from './fraud-events.tsx'
import { Funnel } from './funnel.tsx'
import { Prefixes } from './prefixes.tsx'

export function Screen() {
  const { id } = useWorkspace()
  const can = useCan()
  const [chosen, choose] = useUrlState({ days: DEFAULT_DAYS, client: '' })
  const usual = useCall('getCodeFunnel', { params: { id }, query: {} })
  const query = queryOf(chosen.days, usual.data?.to)
  const { data } = useCall('getCodeFunnel', { params: { id }, query }, { when: usual.data !== undefined })
  const { tab, links } = useTabs('/codes', [
    ['prefixes', words.codes.byPrefix],
    ['guard', words.codes.guard],
    ...(can('listAllowedPrefixes') ? [['allowed', words.codes.allowList] as const] : []),
  ])
  return (
    <Page title={words.screens.codes} actions={<Curl of="getCodeFunnel" input={{ params: { id }, query }} />}>
      <DaysChoice chosen={chosen.days} set={(days) => choose({ days })} />
      <Funnel funnel={data} />
      <Tabs label={words.screens.codes} of={links} />
      {tab === 'prefixes' && <Prefixes query={query} />}
      {tab === 'guard' && <FraudEvents />}
      {tab === 'allowed' && <AllowList client={chosen.client} choose={(client) => choose({ client })} />}
    </Page>
  )
}
