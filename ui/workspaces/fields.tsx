// The fields of a workspace, for a new one and for an edit.
import type { ApiError } from '../api/api-error.ts'
import { Checkbox, SelectField, TextField } from '../parts/field.tsx'
import { capitalize } from '../parts/format.ts'
import { MESSAGE_TYPES } from '../parts/message-types.ts'
import { TypeCheckboxes } from '../parts/type-checkboxes.tsx'
import { words } from '../words/index.ts'
import type { Settings } from './settings.ts'
import css from './workspaces.module.css'

interface Props {
  it: Settings
  set: (it: Settings) => void
  error: ApiError | null
  /** Shows the fields that cannot change later. */
  isNew?: boolean
}

/** Fields that show their own errors. */
export const FIELDS = [
  'name',
  'country',
  'currency',
  'timeZone',
  'plan',
  'status',
  'monthlyCredit',
  'rate.transactional',
  'rate.otp',
  'rate.promotional',
  'allowedTypes',
  'allowedCountries',
  'maxClients',
]

export function Fields({ it, set, error, isNew = false }: Props) {
  const text = (name: keyof Settings & string, label: string, field: string = name, hint?: string) => (
    <TextField
      label={label}
      hint={hint}
      value={String(it[name])}
      set={(value) => set({ ...it, [name]: value })}
      error={error?.of(field)}
      autoComplete="off"
    />
  )
  const { plans, statuses } = words.workspaces
  return (
    <>
      {text('name', words.common.name)}
      {isNew && (
        <div class={css.fields}>
          {text('country', words.workspaces.country, 'country', words.workspaces.countryHint)}
          {text('currency', words.workspaces.currency)}
          {text('timeZone', words.workspaces.timeZone)}
        </div>
      )}
      <div class={css.fields}>
        <SelectField
          label={words.common.status}
          value={it.status}
          set={(status) => set({ ...it, status })}
          of={(['pending', 'active', 'suspended'] as const).map((status) => [status, capitalize(statuses[status])])}
        />
        <SelectField
          label={words.workspaces.plan}
          value={it.plan}
          set={(plan) => set({ ...it, plan })}
          of={(['standard', 'enterprise'] as const).map((plan) => [plan, capitalize(plans[plan])])}
        />
        {text('monthlyCredit', words.usage.monthly)}
        {text('maxClients', words.workspaces.maxClients)}
      </div>
      <fieldset>
        <legend>{words.workspaces.rate}</legend>
        <div class={css.fields}>
          {MESSAGE_TYPES.map((type) => (
            <div key={type}>{text(type, capitalize(words.types[type]), `rate.${type}`)}</div>
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend>{words.workspaces.types}</legend>
        <TypeCheckboxes chosen={it.types} set={(types) => set({ ...it, types })} />
        {error?.of('allowedTypes') && <p class="bad foreign">{error.of('allowedTypes')}</p>}
      </fieldset>
      {text('countries', words.workspaces.countries, 'allowedCountries', words.workspaces.countriesHint)}
      <Checkbox
        label={words.workspaces.templatesRequired}
        checked={it.templatesRequired}
        set={(templatesRequired) => set({ ...it, templatesRequired })}
      />
    </>
  )
}
