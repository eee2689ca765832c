// The key of the client certificate: it can be set and removed, never shown.
import { useState } from 'preact/hooks'
import type { SmppCarrier } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { AreaField, Form } from '../parts/field.tsx'
import { SectionHead } from '../parts/page.tsx'
import { words } from '../words/index.ts'
import css from './carriers.module.css'

export function TlsKey({ carrier: { id, hasTlsKey } }: { carrier: SmppCarrier }) {
  const [isOpen, setOpen] = useState(false)
  const remove = useAction('changeCarrier', ['getCarrier'])
  return (
    <section class={`card stack ${css.group}`}>
      <SectionHead title={words.settings.tlsKey}>
        {hasTlsKey && (
          <button
            type="button"
            class="danger"
            onClick={() => remove.mutate({ params: { id }, body: { tlsKey: null } })}
            aria-disabled={remove.isPending}
          >
            {words.common.remove}
          </button>
        )}
        <button type="button" onClick={() => setOpen(true)}>
          {hasTlsKey ? words.settings.replace : words.settings.set}
        </button>
      </SectionHead>
      <p class="quiet">{hasTlsKey ? words.settings.tlsKeySet : words.settings.tlsKeyNone}</p>
      {remove.error && <ErrorNote error={remove.error} />}
      {isOpen && <SetKey carrierId={id} close={() => setOpen(false)} />}
    </section>
  )
}

function SetKey({ carrierId: id, close }: { carrierId: string; close: () => void }) {
  const [pem, setPem] = useState('')
  const change = useAction('changeCarrier', ['getCarrier'])
  return (
    <Dialog title={words.settings.tlsKey} close={close}>
      <Form
        submitLabel={words.common.save}
        submit={() => change.mutate({ params: { id }, body: { tlsKey: pem } }, { onSuccess: close })}
        mutation={change}
        fields={['tlsKey']}
        cancel={close}
      >
        <AreaField
          label={words.settings.pem}
          value={pem}
          set={setPem}
          error={change.error?.of('tlsKey')}
          class="mono"
          rows={8}
          spellcheck={false}
          autocomplete="off"
        />
      </Form>
    </Dialog>
  )
}
