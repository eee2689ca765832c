// A carrier for a provider that is known by name: what it leaves open is filled in, and its notes are read first.
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { CarrierPreset } from '../api/calls.ts'
import { useAct } from '../api/use.ts'
import { Form, TextField } from '../parts/field.tsx'
import { Status } from '../parts/status.tsx'
import { words } from '../words/index.ts'
import css from './carriers.module.css'

export function PresetForm({ preset, close }: { preset: CarrierPreset; close: () => void }) {
  const { name: provider, title, values, secrets, notes, source, isVerified } = preset
  const [, go] = useLocation()
  const [name, setName] = useState(title)
  const [given, setGiven] = useState<Record<string, string>>({})
  const [hidden, setHidden] = useState<Record<string, string>>({})
  const make = useAct('createCarrier', ['listCarriers', 'getNow'])
  const submit = () =>
    make.mutate(
      { body: { kind: 'http', name, preset: provider, presetValues: filled(given), secrets: filled(hidden) } },
      { onSuccess: ({ id }) => go(`/carriers/${id}?tab=settings`) },
    )
  const fields = [
    'name',
    ...values.map((it) => `presetValues.${it.name}`),
    ...secrets.map((it) => `secrets.${it.name}`),
  ]
  return (
    <Form
      act={words.carriers.make}
      submit={submit}
      isBusy={make.isPending}
      fault={make.error}
      fields={fields}
      cancel={close}
    >
      {!isVerified && <Status tone="doubtful">{words.newCarrier.neverTried}</Status>}
      <ul class={css.notes}>
        {notes.map((note) => (
          <li key={note} class="foreign">
            {note}
          </li>
        ))}
        <li class="quiet">
          {words.newCarrier.source} <span class="foreign">{source}</span>
        </li>
      </ul>
      <TextField label={words.carriers.name} value={name} set={setName} wrong={make.error?.of('name')} />
      <div class={css.open}>
        {values.map(({ name: value, description, default: usual }) => (
          <TextField
            key={value}
            label={value}
            hint={<Hint description={description} usual={usual} />}
            value={given[value] ?? ''}
            set={(text) => setGiven({ ...given, [value]: text })}
            wrong={make.error?.of(`presetValues.${value}`)}
            placeholder={usual ?? ''}
            autoComplete="off"
          />
        ))}
        {secrets.map(({ name: secret, description }) => (
          <TextField
            key={secret}
            label={secret}
            hint={<span class="foreign">{description}</span>}
            value={hidden[secret] ?? ''}
            set={(text) => setHidden({ ...hidden, [secret]: text })}
            wrong={make.error?.of(`secrets.${secret}`)}
            type="password"
            autoComplete="off"
          />
        ))}
      </div>
    </Form>
  )
}

function Hint({ description, usual }: { description: string; usual: string | null }) {
  return (
    <>
      <span class="foreign">{description}</span>
      {usual !== null && <span class={css.usual}>{words.newCarrier.usual(usual)}</span>}
    </>
  )
}

/** What was left empty is left out: the preset knows what is usual. */
function filled(some: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(some).filter(([, text]) => text.trim() !== ''))
}
