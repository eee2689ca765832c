// Where a carrier over HTTP calls with its receipts (D52): whoever knows the address is the carrier, so it is shown when asked for.
import { useState } from 'preact/hooks'
import type { HttpCarrier } from '../api/calls.ts'
import { useAct } from '../api/use.ts'
import { Copy } from '../parts/copy.tsx'
import { FaultNote } from '../parts/fault.tsx'
import { Sure } from '../parts/sure.tsx'
import { words } from '../words/index.ts'
import css from './carriers.module.css'

export function Callback({ carrier: { id, http } }: { carrier: HttpCarrier }) {
  const [shown, setShown] = useState<string | null>(null)
  const [isRenewing, setRenewing] = useState(false)
  const tell = useAct('tellCarrierCallback')
  const ask = (renew: boolean, then: () => void) =>
    tell.mutate(
      { params: { id }, body: { renew } },
      {
        onSuccess: ({ callbackUrl }) => {
          setShown(callbackUrl)
          then()
        },
      },
    )
  const isCalled = http.receipts?.kind === 'callback'
  return (
    <section class={`card stack ${css.group}`}>
      <div class="row">
        <h2>{words.settings.callback}</h2>
        {isCalled && (
          <>
            <button type="button" class="push" onClick={() => ask(false, () => {})} aria-disabled={tell.isPending}>
              {words.settings.showCallback}
            </button>
            <button type="button" class="danger" onClick={() => setRenewing(true)}>
              {words.settings.renew}
            </button>
          </>
        )}
      </div>
      <p class="quiet">{isCalled ? words.settings.callbackMeans : words.settings.noCallback}</p>
      <div class={css.address} role="status">
        {shown && <Copy text={shown} />}
      </div>
      {tell.error && !isRenewing && <FaultNote fault={tell.error} />}
      {isRenewing && (
        <Sure
          title={words.settings.renew}
          act={words.settings.renew}
          submit={() => ask(true, () => setRenewing(false))}
          isBusy={tell.isPending}
          fault={tell.error}
          isDangerous
          close={() => setRenewing(false)}
        >
          <p>{words.settings.renewMeans}</p>
        </Sure>
      )}
    </section>
  )
}
