// Countries: their status, quiet hours and routing policy (D62), and the form that adds or edits one.
import { useState } from 'preact/hooks'
import type { Country } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form, SelectField, TextField } from '../parts/field.tsx'
import { capitalize } from '../parts/format.ts'
import { SectionHead } from '../parts/page.tsx'
import { Pill, type Tone } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import css from './carriers.module.css'

const POLICIES: readonly Country['policy'][] = ['priority', 'cheapest', 'weighted']
const STATES: readonly Country['state'][] = ['live', 'comingSoon', 'off']
const TONES: Record<Country['state'], Tone> = { live: 'good', comingSoon: 'warn', off: 'idle' }

const NEW = 'new'

export function Countries({ countries }: { countries: readonly Country[] }) {
  const [{ country: open }, setOpen] = useUrlState({ country: '' })
  const chosen = countries.find(({ code }) => code === open)
  const add = (
    <button type="button" onClick={() => setOpen({ country: NEW })}>
      {words.countries.add}
    </button>
  )
  return (
    <section class="stack">
      <SectionHead title={words.countries.title}>
        <ApiButton of="listCountries" input={{}} />
        {countries.length > 0 && add}
      </SectionHead>
      <Table
        caption={words.countries.title}
        columns={columns()}
        items={countries}
        keyOf={({ code }) => code}
        hrefOf={({ code }) => `/carriers?country=${code}`}
        empty={
          <>
            <p>{words.countries.none}</p>
            <p>{add}</p>
          </>
        }
      />
      {(chosen || open === NEW) && (
        <CountryForm key={open} country={chosen} close={() => setOpen({ country: '' }, { replace: true })} />
      )}
    </section>
  )
}

const columns = (): Column<Country>[] => [
  { head: words.carriers.country, cell: ({ code }) => <span class="mono">{code}</span>, fold: 'first' },
  { head: words.carriers.name, cell: ({ name }) => <span class="foreign">{name}</span>, fold: 'second' },
  {
    head: words.common.status,
    cell: ({ state }) => <Pill tone={TONES[state]} word={words.countries.states[state]} />,
    fold: 'firstEnd',
  },
  {
    head: words.countries.policy,
    cell: ({ policy }) => capitalize(words.countries.policies[policy]),
    wide: true,
    fold: 'secondEnd',
  },
]

const NEW_COUNTRY = {
  code: '',
  name: '',
  state: 'live',
  timeZone: '',
  quietFrom: '20:00',
  quietTo: '08:00',
  policy: 'weighted',
} as const
const FIELDS = ['code', 'name', 'state', 'timeZone', 'quietHours', 'quietHours.from', 'quietHours.to', 'policy']

/** Adds a country, or edits one; the code of a country never changes. */
function CountryForm({ country, close }: { country: Country | undefined; close: () => void }) {
  const [it, setIt] = useState<Fields>(() => (country ? fieldsOf(country) : NEW_COUNTRY))
  const put = useAction('putCountry', ['listCountries', 'getNow', 'checkHealth'])
  const text = (name: 'code' | 'name' | 'timeZone' | 'quietFrom' | 'quietTo', at: string = name) => ({
    value: it[name],
    set: (value: string) => setIt({ ...it, [name]: value }),
    error: put.error?.of(at),
    autoComplete: 'off' as const,
  })
  const submit = () => {
    const { name, state, timeZone, quietFrom, quietTo, policy } = it
    const quietHours = quietFrom || quietTo ? { from: quietFrom, to: quietTo } : null
    const body = { name, state, ...(timeZone ? { timeZone } : {}), quietHours, policy }
    put.mutate({ params: { code: it.code.trim().toUpperCase() }, body }, { onSuccess: close })
  }
  return (
    <Dialog title={country?.name ?? words.countries.add} close={close}>
      <Form
        submitLabel={country ? words.common.save : words.countries.add}
        submit={submit}
        mutation={put}
        fields={FIELDS}
        cancel={close}
      >
        <div class={css.pairs}>
          {!country && <TextField label={words.countries.code} hint={words.countries.codeHint} {...text('code')} />}
          <TextField label={words.carriers.name} {...text('name')} />
          <SelectField
            label={words.common.status}
            hint={words.countries.stateHint}
            value={it.state}
            set={(state) => setIt({ ...it, state })}
            of={STATES.map((state) => [state, words.countries.states[state]])}
          />
          <TextField label={words.workspaces.timeZone} hint={words.countries.timeZoneHint} {...text('timeZone')} />
          <TextField
            label={words.countries.quietFrom}
            hint={words.countries.quietHint}
            {...text('quietFrom', 'quietHours.from')}
          />
          <TextField label={words.countries.quietTo} {...text('quietTo', 'quietHours.to')} />
        </div>
        <SelectField
          label={words.countries.policy}
          hint={words.countries.means[it.policy]}
          value={it.policy}
          set={(policy) => setIt({ ...it, policy })}
          of={POLICIES.map((policy) => [policy, words.countries.policies[policy]])}
        />
      </Form>
    </Dialog>
  )
}

type Fields = Omit<Country, 'quietHours'> & { quietFrom: string; quietTo: string }

function fieldsOf({ quietHours, ...rest }: Country): Fields {
  return { ...rest, quietFrom: quietHours?.from ?? '', quietTo: quietHours?.to ?? '' }
}
