// The form of a carrier: the fields of a new SMPP carrier, and the common settings of any carrier.
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { ApiError } from '../api/api-error.ts'
import type { Carrier } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Checkbox, Form, SelectField, TextField } from '../parts/field.tsx'
import { words } from '../words/index.ts'
import { changeOf, DEFAULTS, newOf, type Settings, settingsOf } from './carrier-settings.ts'
import css from './carriers.module.css'

const RELOADS = ['listCarriers', 'getCarrier', 'listUnmatchedReceipts', 'getNow'] as const
const TEXTS = ['name', 'host', 'port', 'systemId', 'password', 'systemType', 'defaultSender'] as const
const NUMBERS = ['binds', 'window', 'answerSeconds', 'segmentsPerSecond'] as const
const CHECKBOXES = ['tls', 'receiptsByText', 'resendUnknown', 'enabled'] as const
const HTTP_FIELDS: readonly string[] = ['name', 'defaultSender', 'resendUnknown', 'enabled']
const ID_FORMATS = ['opaque', 'hex', 'decimal'] as const

interface Props {
  /** The carrier to edit, in its own dialog; undefined for a new one. */
  carrier?: Carrier
  close: () => void
}

export function CarrierForm({ carrier, close }: Props) {
  const [settings, setSettings] = useState<Settings>(() => (carrier ? settingsOf(carrier) : DEFAULTS))
  const [, go] = useLocation()
  const create = useAction('createCarrier', RELOADS)
  const change = useAction('changeCarrier', RELOADS)
  const mutation = carrier ? change : create
  const submit = () => {
    if (!carrier) return create.mutate({ body: newOf(settings) }, { onSuccess: ({ id }) => go(`/carriers/${id}`) })
    change.mutate({ params: { id: carrier.id }, body: changeOf(settings, carrier.kind) }, { onSuccess: close })
  }
  const form = (
    <Form
      submitLabel={carrier ? words.common.save : words.carriers.make}
      submit={submit}
      mutation={mutation}
      fields={[...TEXTS, ...NUMBERS]}
      cancel={close}
    >
      <CarrierFields settings={settings} set={setSettings} carrier={carrier} error={mutation.error} />
    </Form>
  )
  if (!carrier) return form
  return (
    <Dialog title={words.carriers.edit} close={close}>
      {form}
    </Dialog>
  )
}

interface FieldsProps {
  settings: Settings
  set: (settings: Settings) => void
  carrier: Carrier | undefined
  error: ApiError | null
}

function CarrierFields({ settings, set, carrier, error }: FieldsProps) {
  const isHttp = carrier?.kind === 'http'
  const isShown = (name: string) => !isHttp || HTTP_FIELDS.includes(name)
  const hints: Partial<Record<keyof Settings, string>> = {
    segmentsPerSecond: words.carriers.noLimit,
    ...(carrier ? { password: words.carriers.passwordStays } : {}),
  }
  const text = (name: (typeof TEXTS)[number] | (typeof NUMBERS)[number]) => (
    <TextField
      key={name}
      label={words.carriers[name]}
      hint={hints[name]}
      value={settings[name]}
      set={(value) => set({ ...settings, [name]: value })}
      error={error?.of(name)}
      type={name === 'password' ? 'password' : 'text'}
      autoComplete="off"
    />
  )
  return (
    <>
      <div class={css.fields}>{TEXTS.filter(isShown).map(text)}</div>
      <div class={css.fields}>
        {NUMBERS.map(text)}
        {!isHttp && <SmppChoices settings={settings} set={set} />}
      </div>
      {CHECKBOXES.filter(isShown).map((name) => (
        <Checkbox
          key={name}
          label={words.carriers[name]}
          checked={settings[name]}
          set={(isOn) => set({ ...settings, [name]: isOn })}
        />
      ))}
    </>
  )
}

const CHOICES = {
  bindMode: ['transceiver', 'separate'],
  answerIds: ID_FORMATS,
  reportIds: ID_FORMATS,
  alphabet: ['gsm', 'latin1', 'ascii'],
  longMessages: ['udh', 'sar', 'payload'],
} as const satisfies { [Name in keyof Settings]?: readonly Settings[Name][] }

/** Terms of the protocol are the same in every language. */
const TERMS: Record<string, string> = {
  ...{ gsm: 'GSM-7', latin1: 'Latin-1', ascii: 'ASCII' },
  ...{ udh: 'UDH', sar: 'SAR', payload: 'message_payload' },
}

function SmppChoices({ settings, set }: Pick<FieldsProps, 'settings' | 'set'>) {
  const names = Object.keys(CHOICES) as (keyof typeof CHOICES)[]
  return names.map((name) => (
    <SelectField
      key={name}
      label={words.carriers[name]}
      value={settings[name]}
      set={(value) => set({ ...settings, [name]: value })}
      of={CHOICES[name].map((term: string) => [term, TERMS[term] ?? term] as const)}
    />
  ))
}
