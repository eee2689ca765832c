// The secrets of an HTTP carrier: their names are shown, their values can only be set or removed.
import { useState } from 'preact/hooks'
import type { HttpCarrier } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { SectionHead } from '../parts/page.tsx'
import { words } from '../words/index.ts'
import css from './carriers.module.css'

const NEW = ''

export function CarrierSecrets({ carrier: { id, secretNames } }: { carrier: HttpCarrier }) {
  const [open, setOpen] = useState<{ name: string; isRemoving: boolean } | null>(null)
  const close = () => setOpen(null)
  return (
    <section class={`card stack ${css.group}`}>
      <SectionHead title={words.settings.secrets}>
        <button type="button" onClick={() => setOpen({ name: NEW, isRemoving: false })}>
          {words.settings.addSecret}
        </button>
      </SectionHead>
      <p class="quiet">{words.settings.secretsMean}</p>
      <ul class="stack">
        {secretNames.map((name) => (
          <li key={name} class="row">
            <code class="foreign">{name}</code>
            <button
              type="button"
              class="push"
              aria-label={`${words.settings.replace}: ${name}`}
              onClick={() => setOpen({ name, isRemoving: false })}
            >
              {words.settings.replace}
            </button>
            <button
              type="button"
              class="danger"
              aria-label={`${words.common.remove}: ${name}`}
              onClick={() => setOpen({ name, isRemoving: true })}
            >
              {words.common.remove}
            </button>
          </li>
        ))}
        {secretNames.length === 0 && <li class="quiet">{words.settings.noSecrets}</li>}
      </ul>
      {open &&
        (open.isRemoving ? (
          <RemoveSecret id={id} {...open} close={close} />
        ) : (
          <SetSecret id={id} {...open} close={close} />
        ))}
    </section>
  )
}

interface Props {
  id: string
  name: string
  close: () => void
}

function SetSecret({ id, name: known, close }: Props) {
  const [name, setName] = useState(known)
  const [secret, setSecret] = useState('')
  const change = useAction('changeCarrier', ['getCarrier'])
  const submit = () => change.mutate({ params: { id }, body: { secrets: { [name]: secret } } }, { onSuccess: close })
  return (
    <Dialog title={known === NEW ? words.settings.addSecret : `${words.settings.replace}: ${known}`} close={close}>
      <Form submitLabel={words.common.save} submit={submit} mutation={change} cancel={close}>
        {known === NEW && (
          <TextField label={words.carriers.name} value={name} set={setName} class="mono" autoComplete="off" />
        )}
        <TextField
          label={words.settings.secret}
          hint={words.settings.secretHint}
          value={secret}
          set={setSecret}
          error={change.error?.of(`secrets.${name}`)}
          type="password"
          autoComplete="off"
        />
      </Form>
    </Dialog>
  )
}

function RemoveSecret({ id, name, close }: Props) {
  const change = useAction('changeCarrier', ['getCarrier'])
  return (
    <Confirm
      title={`${words.common.remove}: ${name}`}
      effect={words.settings.secretGone}
      submitLabel={words.common.remove}
      submit={() => change.mutate({ params: { id }, body: { secrets: { [name]: null } } }, { onSuccess: close })}
      mutation={change}
      close={close}
    />
  )
}
