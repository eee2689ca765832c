// The delivery-receipt callback of an HTTP carrier (D52). The URL is a secret, so it is shown on request only.
import { useState } from 'preact/hooks'
import type { HttpCarrier } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Copy } from '../parts/copy.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { SectionHead } from '../parts/page.tsx'
import { words } from '../words/index.ts'
import css from './carriers.module.css'

export function Callback({ carrier: { id, http } }: { carrier: HttpCarrier }) {
  const [shown, setShown] = useState<string | null>(null)
  const [isRotating, setRotating] = useState(false)
  const load = useAction('getCarrierCallback')
  const show = (renew: boolean) =>
    load.mutate(
      { params: { id }, body: { renew } },
      {
        onSuccess: ({ callbackUrl }) => {
          setShown(callbackUrl)
          setRotating(false)
        },
      },
    )
  const hasCallback = http.receipts?.kind === 'callback'
  return (
    <section class={`card stack ${css.group}`}>
      <SectionHead title={words.settings.callback}>
        {hasCallback && (
          <>
            <button type="button" onClick={() => show(false)} aria-disabled={load.isPending}>
              {words.settings.showCallback}
            </button>
            <button type="button" class="danger" onClick={() => setRotating(true)}>
              {words.settings.renew}
            </button>
          </>
        )}
      </SectionHead>
      <p class="quiet">{hasCallback ? words.settings.callbackMeans : words.settings.noCallback}</p>
      <div class={css.address} role="status">
        {shown && <Copy text={shown} />}
      </div>
      {load.error && !isRotating && <ErrorNote error={load.error} />}
      {isRotating && (
        <Confirm
          title={words.settings.renew}
          effect={words.settings.renewMeans}
          submit={() => show(true)}
          mutation={load}
          close={() => setRotating(false)}
        />
      )}
    </section>
  )
}
