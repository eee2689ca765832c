// The secrets of a carrier over HTTP: their names are told, what they are only goes in.
import { useState } from 'preact/hooks'
import type { HttpCarrier } from '../api/calls.ts'
import { useAct } from '../api/use.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { Sure } from '../parts/sure.tsx'
import { words } from '../words/index.ts'
import css from './carriers.module.css'

const NEW = ''

export function CarrierSecrets({ carrier: { id, secretNames } }: { carrier: HttpCarrier }) {
  const [open, setOpen] = useState<{ name: string; isGoing: boolean } | null>(null)
  const close = () => setOpen(null)
  return (
    <section class={`card stack ${css.group}`}>
      <div class="row">
        <h2>{words.settings.secrets}</h2>
        <button type="button" class="push" onClick={() => setOpen({ name: NEW, isGoing: false })}>
          {words.settings.addSecret}
        </button>
      </div>
      <p class="quiet">{words.settings.secretsMean}</p>
      <ul class="stack">
        {secretNames.map((name) => (
          <li key={name} class="row">
            <code class="foreign">{name}</code>
            <button
              type="button"
              class="push"
              aria-label={`${words.settings.replace}: ${name}`}
              onClick={() => setOpen({ name, isGoing: false })}
            >
              {words.settings.replace}
            </button>
            <button
              type="button"
              class="danger"
              aria-label={`${words.carriers.remove}: ${name}`}
              onClick={() => setOpen({ name, isGoing: true })}
            >
              {words.carriers.remove}
            </button>
          </li>
        ))}
        {secretNames.length === 0 && <li class="quiet">{words.settings.noSecrets}</li>}
      </ul>
      {open && (open.isGoing ? <Remove id={id} {...open} close={close} /> : <Put id={id} {...open} close={close} />)}
    </section>
  )
}

interface Props {
  id: string
  name: string
  close: () => void
}

function Put({ id, name: known, close }: Props) {
  const [name, setName] = useState(known)
  const [secret, setSecret] = useState('')
  const change = useAct('changeCarrier', ['getCarrier'])
  const submit = () => change.mutate({ params: { id }, body: { secrets: { [name]: secret } } }, { onSuccess: close })
  return (
    <Dialog title={known === NEW ? words.settings.addSecret : `${words.settings.replace}: ${known}`} close={close}>
      <Form act={words.carriers.save} submit={submit} isBusy={change.isPending} fault={change.error} cancel={close}>
        {known === NEW && (
          <TextField label={words.carriers.name} value={name} set={setName} class="mono" autoComplete="off" />
        )}
        <TextField
          label={words.settings.secret}
          hint={words.settings.secretHint}
          value={secret}
          set={setSecret}
          wrong={change.error?.of(`secrets.${name}`)}
          type="password"
          autoComplete="off"
        />
      </Form>
    </Dialog>
  )
}

function Remove({ id, name, close }: Props) {
  const change = useAct('changeCarrier', ['getCarrier'])
  return (
    <Sure
      title={`${words.carriers.remove}: ${name}`}
      act={words.carriers.remove}
      submit={() => change.mutate({ params: { id }, body: { secrets: { [name]: null } } }, { onSuccess: close })}
      isBusy={change.isPending}
      fault={change.error}
      isDangerous
      close={close}
    >
      <p>{words.settings.secretGone}</p>
    </Sure>
  )
}
