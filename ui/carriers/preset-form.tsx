// A new carrier from the preset of a provider (D63): its notes, then a field for each value and secret.
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { CarrierPreset } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { Form, TextField } from '../parts/field.tsx'
import { Status } from '../parts/status.tsx'
import { foreign } from '../parts/text.tsx'
import { words } from '../words/index.ts'
import css from './carriers.module.css'

export function PresetForm({ preset, close }: { preset: CarrierPreset; close: () => void }) {
  const { values, secrets } = preset
  const [, go] = useLocation()
  const [name, setName] = useState(preset.title)
  const [typedValues, setValues] = useState<Record<string, string>>({})
  const [typedSecrets, setSecrets] = useState<Record<string, string>>({})
  const create = useAction('createCarrier', ['listCarriers', 'getNow'])
  const submit = () => {
    const [presetValues, filledSecrets] = [withoutBlanks(typedValues), withoutBlanks(typedSecrets)]
    const body = { kind: 'http' as const, name, preset: preset.name, presetValues, secrets: filledSecrets }
    create.mutate({ body }, { onSuccess: ({ id }) => go(`/carriers/${id}?tab=settings`) })
  }
  const valueField = (field: string) => ({
    label: field,
    value: typedValues[field] ?? '',
    set: (text: string) => setValues({ ...typedValues, [field]: text }),
    error: create.error?.of(`presetValues.${field}`),
    autoComplete: 'off',
  })
  const secretField = (field: string) => ({
    label: field,
    value: typedSecrets[field] ?? '',
    set: (text: string) => setSecrets({ ...typedSecrets, [field]: text }),
    error: create.error?.of(`secrets.${field}`),
    autoComplete: 'off',
  })
  const fields = [...values.map((it) => `presetValues.${it.name}`), ...secrets.map((it) => `secrets.${it.name}`)]
  return (
    <Form
      submitLabel={words.carriers.make}
      submit={submit}
      mutation={create}
      fields={['name', ...fields]}
      cancel={close}
    >
      <Notes preset={preset} />
      <TextField label={words.carriers.name} value={name} set={setName} error={create.error?.of('name')} />
      <div class={css.open}>
        {values.map(({ name: field, description, default: usual }) => (
          <TextField
            key={field}
            {...valueField(field)}
            hint={<Hint text={description} defaultValue={usual} />}
            placeholder={usual ?? ''}
          />
        ))}
        {secrets.map(({ name: field, description }) => (
          <TextField key={field} {...secretField(field)} hint={foreign(description)} type="password" />
        ))}
      </div>
    </Form>
  )
}

function Notes({ preset: { notes, source, isVerified } }: { preset: CarrierPreset }) {
  return (
    <>
      {!isVerified && <Status tone="warning">{words.newCarrier.neverTried}</Status>}
      <ul class={css.notes}>
        {notes.map((note) => (
          <li key={note} class="foreign">
            {note}
          </li>
        ))}
        <li class="quiet">
          {words.newCarrier.source} {foreign(source)}
        </li>
      </ul>
    </>
  )
}

function Hint({ text, defaultValue }: { text: string; defaultValue: string | null }) {
  return (
    <>
      {foreign(text)}
      {defaultValue !== null && <span class={css.defaultValue}>{words.newCarrier.usual(defaultValue)}</span>}
    </>
  )
}

/** Blank values are left out, so that the preset uses its default. */
function withoutBlanks(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, text]) => text.trim() !== ''))
}
