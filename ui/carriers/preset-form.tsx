// A new carrier from the preset of a provider (D63): a field for each value and secret, rare ones under Advanced.
import { useState } from 'preact/hooks'
import type { CarrierPreset } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { Checkbox, Form, SelectField, TextField } from '../parts/field.tsx'
import { numberOf } from '../parts/number-of.ts'
import { foreign } from '../parts/text.tsx'
import { words } from '../words/index.ts'
import { BackLink, CARRIER_CALLS } from './carrier-form.tsx'
import css from './carriers.module.css'
import { Fold } from './fold.tsx'

const RECEIPTS = 'receipts'
/** Values and secrets that most accounts do not need. */
const RARE: readonly string[] = ['apiKeySid', 'apiKeySecret', 'type']

interface Props {
  preset: CarrierPreset
  created: (id: string) => void
  back: string
}

type Mode = CarrierPreset['receipts'][number]

interface PresetField {
  name: string
  description: string
  default: string | null
  isSecret: boolean
}

export function PresetForm({ preset, created, back }: Props) {
  const [name, setName] = useState(preset.title)
  const [typed, setTyped] = useState<Record<string, string>>({})
  const [mode, setMode] = useState<Mode>(preset.receipts[0] ?? 'none')
  const [rate, setRate] = useState('')
  const [resendUnknown, setResendUnknown] = useState(false)
  const create = useAction('createCarrier', CARRIER_CALLS)
  const all = fieldsOf(preset)
  const rare = all.filter(isRare).toSorted((one, other) => Number(one.isSecret) - Number(other.isSecret))
  const submit = () => {
    const [values, secrets] = [false, true].map((isSecret) =>
      withoutBlanks(all.filter((it) => it.isSecret === isSecret).map((it) => [it.name, typed[keyOf(it)] ?? ''])),
    )
    const body = {
      ...{ kind: 'http' as const, name, preset: preset.name, resendUnknown },
      presetValues: { ...values, [RECEIPTS]: mode },
      secrets: secrets ?? {},
      segmentsPerSecond: rate.trim() === '' ? null : numberOf(rate),
    }
    create.mutate({ body }, { onSuccess: ({ id }) => created(id) })
  }
  // The error of a value repeats its description.
  const field = (it: PresetField) => (
    <TextField
      key={keyOf(it)}
      label={labelOf(it)}
      hint={!create.error?.of(keyOf(it)) && <Hint of={it} />}
      value={typed[keyOf(it)] ?? ''}
      set={(text) => setTyped({ ...typed, [keyOf(it)]: text })}
      error={create.error?.of(keyOf(it))}
      type={it.isSecret ? 'password' : 'text'}
      autoComplete="off"
    />
  )
  const folded = [...rare.map(keyOf), 'segmentsPerSecond']
  return (
    <Form
      submitLabel={words.newCarrier.saveAndTest}
      submit={submit}
      mutation={create}
      fields={['name', ...all.map(keyOf), `presetValues.${RECEIPTS}`, 'segmentsPerSecond']}
      beside={<BackLink to={back} />}
    >
      <TextField
        label={words.carriers.name}
        hint={words.newCarrier.nameHint}
        value={name}
        set={setName}
        error={create.error?.of('name')}
      />
      <div class={css.pairs}>
        {all.filter((it) => !isRare(it)).map(field)}
        <SelectField
          label={words.newCarrier.receipts}
          hint={mode === 'callback' && words.newCarrier.callbackHint(location.origin)}
          value={mode}
          set={setMode}
          of={preset.receipts.map((it) => [it, words.newCarrier.receiptModes[it]] as const)}
          error={create.error?.of(`presetValues.${RECEIPTS}`)}
        />
      </div>
      <Fold
        title={words.newCarrier.advanced}
        summary={words.newCarrier.presetAdvanced}
        opensOn={create.error?.details.some(({ path }) => folded.includes(path.join('.'))) ? create.error : null}
      >
        <div class={css.pairs}>
          {rare.map(field)}
          <TextField
            label={words.carriers.segmentsPerSecond}
            hint={words.carriers.noLimit}
            value={rate}
            set={setRate}
            error={create.error?.of('segmentsPerSecond')}
            inputMode="numeric"
            autoComplete="off"
          />
        </div>
        <Checkbox label={words.carriers.resendUnknown} checked={resendUnknown} set={setResendUnknown} />
      </Fold>
    </Form>
  )
}

/** Required values, then secrets, then values with a default; the way of receipts has its own field. */
function fieldsOf({ values, secrets }: CarrierPreset): PresetField[] {
  const own = values.filter(({ name }) => name !== RECEIPTS).map((it) => ({ ...it, isSecret: false }))
  return [
    ...own.filter((it) => it.default === null),
    ...secrets.map((it) => ({ ...it, default: null, isSecret: true })),
    ...own.filter((it) => it.default !== null),
  ]
}

/** A base URL with a default is rare; without one, each account has its own. */
function isRare({ name, default: usual }: PresetField): boolean {
  return RARE.includes(name) || (name === 'baseUrl' && usual !== null)
}

/** The field of the request, which is also the name of its error. */
function keyOf({ name, isSecret }: PresetField): string {
  return `${isSecret ? 'secrets' : 'presetValues'}.${name}`
}

function labelOf(field: PresetField): string {
  const names: Record<string, string | undefined> = words.newCarrier.fields
  const label = names[field.name] ?? field.name
  return field.default !== null || RARE.includes(field.name) ? words.newCarrier.optional(label) : label
}

/** A default with a placeholder is the value of each message, which the description names. */
function Hint({ of: { description, default: usual } }: { of: PresetField }) {
  return (
    <>
      {foreign(description)}
      {usual !== null && !usual.includes('{') && <span class={css.defaultValue}>{words.newCarrier.usual(usual)}</span>}
    </>
  )
}

/** Blank values are left out, so that the preset uses its default. */
function withoutBlanks(values: readonly (readonly [name: string, text: string])[]): Record<string, string> {
  return Object.fromEntries(values.filter(([, text]) => text.trim() !== ''))
}
