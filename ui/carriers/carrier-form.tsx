// The forms of a carrier: a new SMPP carrier, and the common settings of any carrier. Rare settings are folded under Advanced.
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { ApiError } from '../api/api-error.ts'
import type { Carrier } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Checkbox, Form, SelectField, TextField } from '../parts/field.tsx'
import { words } from '../words/index.ts'
import { changeOf, DEFAULTS, newOf, type Settings, settingsOf } from './carrier-settings.ts'
import css from './carriers.module.css'
import { Fold } from './fold.tsx'

export const CARRIER_CALLS = ['listCarriers', 'getCarrier', 'listUnmatchedReceipts', 'getNow'] as const

const FIRST = ['name', 'host', 'port', 'systemId', 'password'] as const
const ADVANCED = [
  ...(['systemType', 'defaultSender', 'binds', 'window'] as const),
  ...(['answerSeconds', 'segmentsPerSecond'] as const),
] as const
const ADVANCED_CHECKBOXES = ['receiptsByText', 'resendUnknown'] as const
const ID_FORMATS = ['opaque', 'hex', 'decimal'] as const
/** The settings that an HTTP carrier does not have. */
const SMPP_ONLY: readonly string[] = ['host', 'port', 'systemId', 'password', 'systemType', 'receiptsByText']

interface NewProps {
  created: (id: string) => void
  /** The address of the step before. */
  back: string
}

export function SmppForm({ created, back }: NewProps) {
  const [settings, setSettings] = useState<Settings>(DEFAULTS)
  const create = useAction('createCarrier', CARRIER_CALLS)
  return (
    <Form
      submitLabel={words.newCarrier.saveAndTest}
      submit={() => create.mutate({ body: newOf(settings) }, { onSuccess: ({ id }) => created(id) })}
      mutation={create}
      fields={[...FIRST, ...ADVANCED]}
      beside={<BackLink to={back} />}
    >
      <CarrierFields settings={settings} set={setSettings} carrier={undefined} error={create.error} />
    </Form>
  )
}

export function BackLink({ to }: { to: string }) {
  return (
    <Link href={to} class="button">
      {words.newCarrier.back}
    </Link>
  )
}

export function EditCarrier({ carrier, close }: { carrier: Carrier; close: () => void }) {
  const [settings, setSettings] = useState<Settings>(() => settingsOf(carrier))
  const change = useAction('changeCarrier', CARRIER_CALLS)
  const body = changeOf(settings, carrier.kind)
  return (
    <Dialog title={words.carriers.edit} close={close}>
      <Form
        submitLabel={words.common.save}
        submit={() => change.mutate({ params: { id: carrier.id }, body }, { onSuccess: close })}
        mutation={change}
        fields={[...FIRST, ...ADVANCED]}
        cancel={close}
      >
        <CarrierFields settings={settings} set={setSettings} carrier={carrier} error={change.error} />
      </Form>
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
  const isShown = (name: string) => !isHttp || !SMPP_ONLY.includes(name)
  const hints: Partial<Record<keyof Settings, string>> = {
    name: words.newCarrier.nameHint,
    segmentsPerSecond: words.carriers.noLimit,
    ...(carrier ? { password: words.carriers.passwordStays } : {}),
  }
  const text = (name: (typeof FIRST)[number] | (typeof ADVANCED)[number]) => (
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
  const checkbox = (name: 'tls' | 'enabled' | (typeof ADVANCED_CHECKBOXES)[number]) => (
    <Checkbox
      key={name}
      label={words.carriers[name]}
      checked={settings[name]}
      set={(isOn) => set({ ...settings, [name]: isOn })}
    />
  )
  const [name, ...others] = FIRST
  return (
    <>
      {text(name)}
      {!isHttp && <div class={css.pairs}>{others.map(text)}</div>}
      {!isHttp && checkbox('tls')}
      {carrier && checkbox('enabled')}
      <Fold
        title={words.newCarrier.advanced}
        summary={isHttp ? words.newCarrier.describedAdvanced : words.newCarrier.smppAdvanced}
        opensOn={error?.details.some(({ path }) => path[0] !== name && !isIn(others, path[0])) ? error : null}
      >
        <div class={css.pairs}>
          {ADVANCED.filter(isShown).map(text)}
          {!isHttp && <SmppChoices settings={settings} set={set} />}
        </div>
        {ADVANCED_CHECKBOXES.filter(isShown).map(checkbox)}
        {!carrier && checkbox('enabled')}
      </Fold>
    </>
  )
}

function isIn(names: readonly string[], name: string | number | undefined): boolean {
  return typeof name === 'string' && names.includes(name)
}

const CHOICES = {
  bindMode: ['transceiver', 'separate'],
  alphabet: ['gsm', 'latin1', 'ascii'],
  answerIds: ID_FORMATS,
  reportIds: ID_FORMATS,
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
