// A carrier over HTTP as somebody describes it (D48): the description as JSON, the secrets beside it.
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { HttpDescription } from '../api/calls.ts'
import { useAct } from '../api/use.ts'
import { Form, TextField } from '../parts/field.tsx'
import { isShownInJson, JsonField } from '../parts/json-field.tsx'
import { readJson } from '../parts/json-place.ts'
import { words } from '../words/index.ts'
import css from './carriers.module.css'

/** Something to begin with, of the most usual form. */
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

export function DescribedForm({ close }: { close: () => void }) {
  const [, go] = useLocation()
  const [name, setName] = useState('')
  const [text, setText] = useState(() => JSON.stringify(EXAMPLE, null, 2))
  const [secrets, setSecrets] = useState<readonly (readonly [name: string, secret: string])[]>([['token', '']])
  const [isJudged, setJudged] = useState(false)
  const make = useAct('createCarrier', ['listCarriers', 'getNow'])
  const submit = () => {
    setJudged(true)
    const read = readJson(text)
    if (!read.ok) return
    const given = Object.fromEntries(secrets.filter(([it, secret]) => it.trim() !== '' && secret !== ''))
    const body = { kind: 'http' as const, name, http: read.value as HttpDescription, secrets: given }
    make.mutate({ body }, { onSuccess: ({ id }) => go(`/carriers/${id}?tab=settings`) })
  }
  const setSecret = (at: number, pair: readonly [string, string]) =>
    setSecrets(secrets.map((it, index) => (index === at ? pair : it)))
  return (
    <Form
      act={words.carriers.make}
      submit={submit}
      isBusy={make.isPending}
      fault={isShownInJson(make.error, 'http') ? null : make.error}
      fields={['name']}
      cancel={close}
    >
      <TextField label={words.carriers.name} value={name} set={setName} wrong={make.error?.of('name')} />
      <JsonField
        label={words.newCarrier.description}
        hint={
          <>
            {words.newCarrier.descriptionHint} <a href="/docs/reference/http-carriers">{words.newCarrier.manual}</a>
          </>
        }
        value={text}
        set={(next) => {
          setText(next)
          setJudged(false)
        }}
        isJudged={isJudged}
        fault={make.error}
        under="http"
      />
      {secrets.map(([secret, value], index) => (
        <div key={index} class={css.fields}>
          <TextField
            label={words.newCarrier.secretName}
            value={secret}
            set={(next) => setSecret(index, [next, value])}
            autoComplete="off"
          />
          <TextField
            label={words.settings.secret}
            value={value}
            set={(next) => setSecret(index, [secret, next])}
            wrong={make.error?.of(`secrets.${secret}`)}
            type="password"
            autoComplete="off"
          />
        </div>
      ))}
      <div>
        <button type="button" onClick={() => setSecrets([...secrets, ['', '']])}>
          {words.settings.addSecret}
        </button>
      </div>
    </Form>
  )
}
