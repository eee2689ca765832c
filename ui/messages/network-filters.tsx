// The filters by country and by carrier, for the operator.
import { useCall, useList } from '../api/use.ts'
import { useCan } from '../caller.ts'
import { Select } from '../parts/filters.tsx'
import { countryName, shortId } from '../parts/format.ts'
import { words } from '../words/index.ts'
import type { Filter } from './filter.ts'

/** The size of a page; other carriers are shown by ID. */
const MAX_CARRIERS = 200

function useCarriers(when: boolean) {
  const can = useCan()
  return useList('listCarriers', { query: { limit: MAX_CARRIERS } }, { when: when && can('listCarriers') }).items ?? []
}

/** The name of the chosen carrier, for its chip. */
export function useCarrierName(id: string): string {
  const carriers = useCarriers(id !== '')
  return carriers.find((carrier) => carrier.id === id)?.name ?? shortId(id)
}

export function NetworkFilters({ filter, set }: { filter: Filter; set: (changes: Partial<Filter>) => void }) {
  const can = useCan()
  const carriers = useCarriers(true)
  const { data } = useCall('listCountries', {}, { when: can('listCountries') })
  const countries = data?.items.filter(({ state }) => state === 'live') ?? []
  return (
    <>
      {can('listCountries') && (
        <Select
          label={words.common.country}
          any={words.messages.anyCountry}
          value={filter.country}
          of={countries.map(({ code }) => [code, countryName(code)])}
          set={(country) => set({ country })}
        />
      )}
      {can('listCarriers') && (
        <Select
          label={words.messages.carrier}
          any={words.messages.anyCarrier}
          value={filter.carrier}
          of={carriers.map(({ id, name }) => [id, name])}
          set={(carrier) => set({ carrier })}
        />
      )}
    </>
  )
}
