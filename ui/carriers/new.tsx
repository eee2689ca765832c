// A new carrier in four steps: provider, connection, test, route. The address holds the step, so that Back and reload work.
import { Link, useLocation } from 'wouter-preact'
import { useCall } from '../api/use.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Page } from '../parts/page.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { Waiting } from '../parts/waiting.tsx'
import { words } from '../words/index.ts'
import { ConnectionStep } from './connection-step.tsx'
import { ProviderStep } from './provider-step.tsx'
import { listProviders } from './providers.ts'
import { RouteStep } from './route-step.tsx'
import { STEPS, type StepName, StepRow } from './step-row.tsx'
import { TestStep } from './test-step.tsx'

const PATH = '/carriers/new'

export function Screen() {
  const [chosen] = useUrlState({ step: 'provider', provider: '', carrier: '' })
  const [, go] = useLocation()
  const presets = useCall('listCarrierPresets', {})
  const providers = listProviders(presets.data?.items ?? [])
  const provider = providers.find(({ id }) => id === chosen.provider)
  const carrierId = chosen.carrier
  // Until the presets are known, the address is trusted, so that the steps do not move.
  const hasProvider = presets.data ? provider !== undefined : chosen.provider !== ''
  const step = stepOf(chosen.step, { hasProvider, hasCarrier: carrierId !== '' })
  const addressOf = (name: StepName) => `${PATH}?step=${name}&carrier=${carrierId}`
  // The form of a created carrier is not opened again: a second submit would create a second carrier.
  const hrefOf = (name: StepName) => {
    if (carrierId !== '') return name === 'test' || name === 'route' ? addressOf(name) : null
    return name === 'provider' ? PATH : null
  }
  const created = (id: string) => go(`${PATH}?step=test&carrier=${id}`, { replace: true })
  return (
    <Page
      title={words.carriers.add}
      parents={[['/carriers', words.screens.carriers]]}
      more={<ApiButton of="listCarrierPresets" input={{}} />}
      actions={
        <Link href={carrierId === '' ? '/carriers' : `/carriers/${carrierId}`} class="button">
          {carrierId === '' ? words.parts.cancel : words.parts.close}
        </Link>
      }
    >
      <StepRow current={step} hrefOf={hrefOf} />
      {presets.error && !presets.data && <ErrorNote error={presets.error} />}
      {!presets.data && !presets.error && <Waiting />}
      {presets.data && step === 'provider' && <ProviderStep providers={providers} />}
      {presets.data && step === 'connection' && provider && (
        <ConnectionStep key={provider.id} provider={provider} created={created} back={PATH} />
      )}
      {presets.data && step === 'test' && <TestStep key={carrierId} carrierId={carrierId} next={addressOf('route')} />}
      {presets.data && step === 'route' && <RouteStep key={carrierId} carrierId={carrierId} />}
    </Page>
  )
}

/** A step without its provider or carrier falls back to the first one. */
function stepOf(named: string, { hasProvider, hasCarrier }: { hasProvider: boolean; hasCarrier: boolean }): StepName {
  const step = STEPS.find((it) => it === named) ?? 'provider'
  if (step === 'connection' && hasProvider) return step
  return (step === 'test' || step === 'route') && hasCarrier ? step : 'provider'
}
