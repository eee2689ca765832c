// A carrier is made, or changed: where it is, with which account, and how it likes its messages.
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { Carrier } from '../api/calls.ts'
import { useAct } from '../api/use.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ChoiceField, Form, TextField, Tick } from '../parts/field.tsx'
import { words } from '../words/index.ts'
import { changeOf, newOf, type Settings, settingsOf, USUAL } from './carrier-settings.ts'
import css from './carriers.module.css'

const TOUCHES = ['listCarriers', 'getCarrier', 'listUnmatchedReceipts', 'getNow'] as const
const TEXTS = ['name', 'host', 'port', 'systemId', 'password', 'systemType', 'defaultSender'] as const
const NUMBERS = ['binds', 'window', 'answerSeconds', 'segmentsPerSecond'] as const
/** What a carrier over HTTP has of these. */
const OF_HTTP: readonly string[] = ['name', 'defaultSender', 'resendUnknown', 'enabled']
const ID_FORMATS = ['opaque', 'hex', 'decimal'] as const

interface Props {
  /** The one that is changed, in a dialog of its own; without it, a new one is made. */
  carrier?: Carrier
  close: () => void
}

export function CarrierForm({ carrier, close }: Props) {
  const [it, set] = useState<Settings>(() => (carrier ? settingsOf(carrier) : USUAL))
  const [, go] = useLocation()
  const make = useAct('createCarrier', TOUCHES)
  const change = useAct('changeCarrier', TOUCHES)
  const act = carrier ? change : make
  const submit = () => {
    if (carrier) change.mutate({ params: { id: carrier.id }, body: changeOf(it, carrier.kind) }, { onSuccess: close })
    else make.mutate({ body: newOf(it) }, { onSuccess: ({ id }) => go(`/carriers/${id}`) })
  }
  const isHttp = carrier?.kind === 'http'
  const isShown = (name: string) => !isHttp || OF_HTTP.includes(name)
  const hints: Partial<Record<keyof Settings, string>> = {
    segmentsPerSecond: words.carriers.noLimit,
    ...(carrier ? { password: words.carriers.passwordStays } : {}),
  }
  const text = (name: (typeof TEXTS)[number] | (typeof NUMBERS)[number]) => (
    <TextField
      key={name}
      label={words.carriers[name]}
      hint={hints[name]}
      value={it[name]}
      set={(value) => set({ ...it, [name]: value })}
      wrong={act.error?.of(name)}
      type={name === 'password' ? 'password' : 'text'}
      autoComplete="off"
    />
  )
  const tick = (name: 'tls' | 'receiptsByText' | 'resendUnknown' | 'enabled') => (
    <Tick key={name} label={words.carriers[name]} checked={it[name]} set={(is) => set({ ...it, [name]: is })} />
  )
  const form = (
    <Form
      act={carrier ? words.carriers.save : words.carriers.make}
      submit={submit}
      isBusy={act.isPending}
      fault={act.error}
      fields={[...TEXTS, ...NUMBERS]}
      cancel={close}
    >
      <div class={css.fields}>{TEXTS.filter(isShown).map(text)}</div>
      <div class={css.fields}>
        {NUMBERS.map(text)}
        {!isHttp && <SmppChoices it={it} set={set} />}
      </div>
      {(['tls', 'receiptsByText', 'resendUnknown', 'enabled'] as const).filter(isShown).map(tick)}
    </Form>
  )
  if (!carrier) return form
  return (
    <Dialog title={words.carriers.edit} close={close}>
      {form}
    </Dialog>
  )
}

const CHOICES = {
  bindMode: ['transceiver', 'separate'],
  answerIds: ID_FORMATS,
  reportIds: ID_FORMATS,
  alphabet: ['gsm', 'latin1', 'ascii'],
  longMessages: ['udh', 'sar', 'payload'],
} as const satisfies { [Name in keyof Settings]?: readonly Settings[Name][] }

function SmppChoices({ it, set }: { it: Settings; set: (next: Settings) => void }) {
  const names = Object.keys(CHOICES) as (keyof typeof CHOICES)[]
  return names.map((name) => (
    <ChoiceField
      key={name}
      label={words.carriers[name]}
      value={it[name]}
      set={(value) => set({ ...it, [name]: value })}
      of={same<string>(CHOICES[name])}
    />
  ))
}

/** Words of the protocol are the same in every language. */
function same<Word extends string>(some: readonly Word[]): readonly (readonly [Word, string])[] {
  return some.map((word) => [word, word] as const)
}
