// Countries, and how a carrier is chosen among the routes of each (D62).
import { useState } from 'preact/hooks'
import type { Country } from '../api/calls.ts'
import type { Fault } from '../api/fault.ts'
import { useAct } from '../api/use.ts'
import { Curl } from '../parts/curl.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ChoiceField, Form } from '../parts/field.tsx'
import { Status, type Tone } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'

const POLICIES: readonly Country['policy'][] = ['priority', 'cheapest', 'weighted']
const TONES: Record<Country['state'], Tone> = { live: 'good', comingSoon: 'doubtful', off: 'going' }

interface Props {
  countries: readonly Country[] | undefined
  fault: Fault | null
}

export function Countries({ countries, fault }: Props) {
  const [{ country: open }, setOpen] = useUrlState({ country: '' })
  const chosen = countries?.find(({ code }) => code === open)
  return (
    <>
      <div class="row">
        <h2>{words.countries.title}</h2>
        <span class="push">
          <Curl of="listCountries" input={{}} />
        </span>
      </div>
      <Table
        caption={words.countries.title}
        columns={columns()}
        rows={countries}
        keyOf={({ code }) => code}
        hrefOf={({ code }) => `/carriers?country=${code}`}
        fault={fault}
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
  { head: words.carriers.name, cell: ({ name }) => <span class="foreign">{name}</span>, roomy: true },
  {
    head: words.carriers.state,
    cell: ({ state }) => <Status tone={TONES[state]}>{words.countries.states[state]}</Status>,
  },
  { head: words.countries.policy, cell: ({ policy }) => words.countries.policies[policy], wide: true },
]

function PolicyForm({ country, close }: { country: Country; close: () => void }) {
  const { code, ...rest } = country
  const [policy, setPolicy] = useState(country.policy)
  const put = useAct('putCountry', ['listCountries'])
  return (
    <Dialog title={`${words.countries.policy}: ${country.name}`} close={close}>
      <Form
        act={words.carriers.save}
        submit={() => put.mutate({ params: { code }, body: { ...rest, policy } }, { onSuccess: close })}
        isBusy={put.isPending}
        fault={put.error}
        cancel={close}
      >
        <ChoiceField
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
