// Webhooks of a workspace, or of all workspaces: events, endpoints, and the verification of a signature.
import { Link } from 'wouter-preact'
import { useCan, useWorkspaceOrNull } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Page } from '../parts/page.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { Checker } from './checker.tsx'
import { Deliveries, useEventFilter } from './deliveries.tsx'
import { Endpoints } from './endpoints.tsx'

export function Screen() {
  const [{ show }] = useUrlState({ show: '' })
  const isService = useWorkspaceOrNull() === null
  return (
    <Page
      title={words.screens.webhooks}
      hasTimes={show === ''}
      more={show === '' && !isService && <EventsRequest />}
      actions={show === '' && (isService ? <EventsRequest /> : <AddEndpoint />)}
    >
      <Tabs
        label={words.screens.webhooks}
        of={[
          ['/webhooks', words.webhooks.deliveries, show === ''],
          ...(isService ? [] : [['/webhooks?show=endpoints', words.webhooks.endpoints, show === 'endpoints'] as const]),
          ['/webhooks?show=checker', words.webhooks.checker, show === 'checker'],
        ]}
      />
      {show === 'endpoints' && !isService ? <Endpoints /> : show === 'checker' ? <Checker /> : <Deliveries />}
    </Page>
  )
}

function EventsRequest() {
  const { own, inWorkspace, inService } = useEventFilter()
  return own ? (
    <ApiButton of="listWorkspaceWebhookDeliveries" input={inWorkspace} />
  ) : (
    <ApiButton of="listAllWebhookDeliveries" input={inService} />
  )
}

function AddEndpoint() {
  const can = useCan()
  if (!can('changeClient')) return null
  return (
    <Link class="button" href="/webhooks?show=endpoints">
      <Icon name="plus" />
      {words.webhooks.addEndpoint}
    </Link>
  )
}
