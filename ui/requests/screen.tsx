// The API log of a workspace: its requests counted by error, and listed. A row opens to its ID and the fix.
import type { RequestError } from '../api/calls.ts'
import { useCall, useList } from '../api/use.ts'
import { useWorkspace } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { useClients } from '../parts/clients.ts'
import { Figures } from '../parts/figures.tsx'
import { capitalize, count } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { Page, SectionHead } from '../parts/page.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { Pill } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { foreign } from '../parts/text.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { Waiting } from '../parts/waiting.tsx'
import { words } from '../words/index.ts'
import { isFiltered, isWholeId, NO_FILTER, queryOf } from './filter.ts'
import {
  Filters,
  fixOf,
  NoMatches,
  RequestDetails,
  RouteName,
  requestColumns,
  SampleNote,
  toneOf,
} from './requests.tsx'

const DAY_HOURS = 24
const WEEK_HOURS = 168

export function Screen() {
  const { id } = useWorkspace()
  const { clients, nameOf, isKnown } = useClients()
  const [{ hours, open, ...filter }, set] = useUrlState({ hours: String(DAY_HOURS), open: '', ...NO_FILTER })
  const counted = useCall(
    'countRequestErrors',
    { params: { id }, query: { hours: hours === String(WEEK_HOURS) ? WEEK_HOURS : DAY_HOURS } },
    { topics: ['requests'] },
  )
  const input = { params: { id }, query: queryOf(filter) }
  const isSearchable = filter.request === '' || isWholeId(filter.request)
  const found = useList('listWorkspaceRequests', input, { topics: ['requests'] })
  const listed = isSearchable ? found : { items: [], error: null, more: null }
  // The tables appear together, so that the second one does not move.
  const isLoaded = (counted.data || counted.error) && (listed.items || listed.error) && isKnown
  const clear = () => set(NO_FILTER)
  return (
    <Page title={words.screens.requests} hasTimes actions={<ApiButton of="listWorkspaceRequests" input={input} />}>
      <Segmented
        label={words.parts.period}
        value={hours}
        of={[
          [String(DAY_HOURS), capitalize(words.messages.lastOf['24h'])],
          [String(WEEK_HOURS), words.requests.lastWeek],
        ]}
        set={(it) => set({ hours: it })}
      />
      <Figures of={sumsOf(counted.data?.requests)} />
      {isLoaded ? (
        <>
          <SectionHead title={words.requests.byError} />
          <Table
            caption={words.requests.byError}
            columns={errorColumns((code) => set({ code }))}
            items={counted.data?.items}
            keyOf={({ method, route, status, code }) => `${method} ${route} ${status} ${code}`}
            error={counted.error}
            empty={<p>{words.requests.noErrors}</p>}
          />
          <SectionHead title={words.requests.requests} />
          <Filters
            chosen={filter}
            set={set}
            clear={clear}
            clients={clients}
            codes={(counted.data?.items ?? []).map(({ code }) => code)}
          />
          <SampleNote of={listed.items} />
          <Table
            {...listed}
            caption={words.requests.requests}
            columns={requestColumns([
              { head: words.common.client, cell: ({ clientId }) => foreign(nameOf(clientId)), secondary: true },
            ])}
            keyOf={(row) => row.id}
            unfold={{
              open,
              set: (it) => set({ open: it }, { replace: true }),
              details: (row) => <RequestDetails request={row} />,
            }}
            empty={
              isFiltered(filter) ? <NoMatches request={filter.request} clear={clear} /> : <p>{words.requests.kept}</p>
            }
          />
        </>
      ) : (
        <Waiting />
      )}
    </Page>
  )
}

function sumsOf(requests: { answered: number; refused: number; failed: number } | undefined) {
  const shown = (of: number | undefined) => (of === undefined ? '–' : count(of))
  return [
    [words.requests.successful, shown(requests?.answered)],
    [words.requests.clientErrors, shown(requests?.refused)],
    [words.requests.serverErrors, shown(requests?.failed)],
  ] as const
}

function errorColumns(only: (code: string) => void): Column<RequestError>[] {
  return [
    { head: words.common.status, cell: ({ status }) => <Pill tone={toneOf(status)} word={String(status)} /> },
    {
      head: words.requests.code,
      cell: ({ code }) => (
        <button type="button" class="link" onClick={() => only(code)}>
          {code}
        </button>
      ),
    },
    { head: words.requests.endpoint, cell: (it) => <RouteName {...it} />, wide: true },
    { head: words.requests.fix, cell: ({ code }) => <span class="quiet">{fixOf(code)}</span>, secondary: true },
    { head: words.requests.count, cell: ({ requests }) => count(requests), right: true },
    { head: words.requests.last, cell: ({ lastAt }) => <Moment at={lastAt} />, secondary: true },
  ]
}
