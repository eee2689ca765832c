// The key of a carrier's own certificate: it only goes in; whether there is one is all that is told.
import { useState } from 'preact/hooks'
import type { SmppCarrier } from '../api/calls.ts'
import { useAct } from '../api/use.ts'
import { Dialog } from '../parts/dialog.tsx'
import { FaultNote } from '../parts/fault.tsx'
import { Field, Form } from '../parts/field.tsx'
import { words } from '../words/index.ts'
import css from './carriers.module.css'

export function TlsKey({ carrier: { id, hasTlsKey } }: { carrier: SmppCarrier }) {
  const [isOpen, setOpen] = useState(false)
  const remove = useAct('changeCarrier', ['getCarrier'])
  return (
    <section class={`card stack ${css.group}`}>
      <div class="row">
        <h2>{words.settings.tlsKey}</h2>
        {hasTlsKey && (
          <button
            type="button"
            class="danger push"
            onClick={() => remove.mutate({ params: { id }, body: { tlsKey: null } })}
            aria-disabled={remove.isPending}
          >
            {words.carriers.remove}
          </button>
        )}
        <button type="button" class={hasTlsKey ? '' : 'push'} onClick={() => setOpen(true)}>
          {hasTlsKey ? words.settings.replace : words.settings.set}
        </button>
      </div>
      <p class="quiet">{hasTlsKey ? words.settings.tlsKeySet : words.settings.tlsKeyNone}</p>
      {remove.error && <FaultNote fault={remove.error} />}
      {isOpen && <Replace carrierId={id} close={() => setOpen(false)} />}
    </section>
  )
}

function Replace({ carrierId: id, close }: { carrierId: string; close: () => void }) {
  const [pem, setPem] = useState('')
  const change = useAct('changeCarrier', ['getCarrier'])
  return (
    <Dialog title={words.settings.tlsKey} close={close}>
      <Form
        act={words.carriers.save}
        submit={() => change.mutate({ params: { id }, body: { tlsKey: pem } }, { onSuccess: close })}
        isBusy={change.isPending}
        fault={change.error}
        fields={['tlsKey']}
        cancel={close}
      >
        <Field label={words.settings.pem} wrong={change.error?.of('tlsKey')}>
          {(ties) => (
            <textarea
              {...ties}
              class="mono"
              rows={8}
              spellcheck={false}
              autocomplete="off"
              value={pem}
              onInput={(event) => setPem(event.currentTarget.value)}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  )
}
