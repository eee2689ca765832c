// Webhooks: events, endpoints, and the verification of a signature.
import { Page } from '../parts/page.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { Checker } from './checker.tsx'
import { Deliveries } from './deliveries.tsx'
import { Endpoints } from './endpoints.tsx'

export function Screen() {
  const [{ show }] = useUrlState({ show: '' })
  return (
    <Page title={words.screens.webhooks}>
      <Tabs
        label={words.screens.webhooks}
        of={[
          ['/webhooks', words.webhooks.deliveries, show === ''],
          ['/webhooks?show=endpoints', words.webhooks.endpoints, show === 'endpoints'],
          ['/webhooks?show=checker', words.webhooks.checker, show === 'checker'],
        ]}
      />
      {show === 'endpoints' ? <Endpoints /> : show === 'checker' ? <Checker /> : <Deliveries />}
    </Page>
  )
}
