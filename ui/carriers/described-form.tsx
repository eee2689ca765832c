// A new carrier with a custom HTTP description (D48): the description as JSON, and its secrets.
import { useState } from 'preact/hooks'
import type { HttpDescription } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { Form, TextField } from '../parts/field.tsx'
import { JsonField, withoutJsonErrors } from '../parts/json-field.tsx'
import { readJson } from '../parts/json-place.ts'
import { words } from '../words/index.ts'
import { BackLink, CARRIER_CALLS } from './carrier-form.tsx'
import css from './carriers.module.css'

/** The initial text of the editor, in the most common form. */
const EXAMPLE: HttpDescription = {
  url: 'https://sms.example.com/messages',
  auth: { kind: 'header', name: 'authorization', value: 'Bearer {secret.token}' },
  body: { kind: 'json', value: { to: '{to}', from: '{from}', text: '{text}' } },
  answer: {
    rules: [
      { status: ['2xx'], outcome: 'accepted' },
      { status: [429], outcome: 'throttled' },
      { status: ['5xx'], outcome: 'other_carrier' },
      { status: ['4xx'], outcome: 'rejected' },
    ],
    id: '/id',
    said: '/message',
  },
}

type Secret = readonly [name: string, value: string]

export function DescribedForm({ created, back }: { created: (id: string) => void; back: string }) {
  const [name, setName] = useState('')
  const [text, setText] = useState(() => JSON.stringify(EXAMPLE, null, 2))
  const [secrets, setSecrets] = useState<readonly Secret[]>([['token', '']])
  const [isSubmitted, setSubmitted] = useState(false)
  const create = useAction('createCarrier', CARRIER_CALLS)
  const submit = () => {
    setSubmitted(true)
    const read = readJson(text)
    if (!read.ok) return
    const filled = Object.fromEntries(secrets.filter(([secret, value]) => secret.trim() !== '' && value !== ''))
    const body = { kind: 'http' as const, name, http: read.value as HttpDescription, secrets: filled }
    create.mutate({ body }, { onSuccess: ({ id }) => created(id) })
  }
  const edit = (next: string) => {
    setText(next)
    setSubmitted(false)
  }
  return (
    <Form
      submitLabel={words.newCarrier.saveAndTest}
      submit={submit}
      mutation={withoutJsonErrors(create, 'http')}
      fields={['name']}
      beside={<BackLink to={back} />}
    >
      <TextField
        label={words.carriers.name}
        hint={words.newCarrier.nameHint}
        value={name}
        set={setName}
        error={create.error?.of('name')}
      />
      <JsonField
        label={words.newCarrier.description}
        hint={<DescriptionHint />}
        value={text}
        set={edit}
        isSubmitted={isSubmitted}
        error={create.error}
        under="http"
      />
      <SecretFields
        secrets={secrets}
        set={setSecrets}
        errorOf={(secret) => create.error?.of(`secrets.${secret}`) ?? null}
      />
    </Form>
  )
}

function DescriptionHint() {
  return (
    <>
      {words.newCarrier.descriptionHint} <a href="/docs/reference/http-carriers">{words.settings.manual}</a>
    </>
  )
}

interface SecretFieldsProps {
  secrets: readonly Secret[]
  set: (secrets: readonly Secret[]) => void
  errorOf: (name: string) => string | null
}

function SecretFields({ secrets, set, errorOf }: SecretFieldsProps) {
  const change = (index: number, secret: Secret) => set(secrets.with(index, secret))
  return (
    <>
      {secrets.map(([name, value], index) => (
        <div key={index} class={css.pairs}>
          <TextField
            label={words.newCarrier.secretName}
            value={name}
            set={(next) => change(index, [next, value])}
            autoComplete="off"
          />
          <TextField
            label={words.settings.secret}
            value={value}
            set={(next) => change(index, [name, next])}
            error={errorOf(name)}
            type="password"
            autoComplete="off"
          />
        </div>
      ))}
      <div>
        <button type="button" onClick={() => set([...secrets, ['', '']])}>
          {words.settings.addSecret}
        </button>
      </div>
    </>
  )
}
