// Countries, with the routing policy of each (D62).
import { useState } from 'preact/hooks'
import type { ApiError } from '../api/api-error.ts'
import type { Country } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { Curl } from '../parts/curl.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form, SelectField } from '../parts/field.tsx'
import { SectionHead } from '../parts/page.tsx'
import { Status, type Tone } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'

const POLICIES: readonly Country['policy'][] = ['priority', 'cheapest', 'weighted']
const TONES: Record<Country['state'], Tone> = { live: 'good', comingSoon: 'warning', off: 'neutral' }

interface Props {
  countries: readonly Country[] | undefined
  error: ApiError | null
}

export function Countries({ countries, error }: Props) {
  const [{ country: open }, setOpen] = useUrlState({ country: '' })
  const chosen = countries?.find(({ code }) => code === open)
  return (
    <>
      <SectionHead title={words.countries.title}>
        <Curl of="listCountries" input={{}} />
      </SectionHead>
      <Table
        caption={words.countries.title}
        columns={columns()}
        items={countries}
        keyOf={({ code }) => code}
        hrefOf={({ code }) => `/carriers?country=${code}`}
        error={error}
        empty={<p>{words.countries.none}</p>}
      />
      {chosen && (
        <PolicyForm key={chosen.code} country={chosen} close={() => setOpen({ country: '' }, { replace: true })} />
      )}
    </>
  )
}

const columns = (): Column<Country>[] => [
  { head: words.carriers.country, cell: ({ code }) => <span class="mono">{code}</span> },
  { head: words.carriers.name, cell: ({ name }) => <span class="foreign">{name}</span>, secondary: true },
  {
    head: words.common.status,
    cell: ({ state }) => <Status tone={TONES[state]}>{words.countries.states[state]}</Status>,
  },
  { head: words.countries.policy, cell: ({ policy }) => words.countries.policies[policy], wide: true },
]

function PolicyForm({ country, close }: { country: Country; close: () => void }) {
  const { code, ...rest } = country
  const [policy, setPolicy] = useState(country.policy)
  const put = useAction('putCountry', ['listCountries'])
  return (
    <Dialog title={`${words.countries.policy}: ${country.name}`} close={close}>
      <Form
        submitLabel={words.common.save}
        submit={() => put.mutate({ params: { code }, body: { ...rest, policy } }, { onSuccess: close })}
        mutation={put}
        cancel={close}
      >
        <SelectField
          label={words.countries.policy}
          hint={words.countries.means[policy]}
          value={policy}
          set={setPolicy}
          of={POLICIES.map((it) => [it, words.countries.policies[it]])}
        />
      </Form>
    </Dialog>
  )
}
