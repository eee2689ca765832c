// The API log of all workspaces, and the requests with unknown keys.
import { Link } from 'wouter-preact'
import type { NamedApiRequest, UnknownKeyRequests } from '../api/calls.ts'
import { useList } from '../api/use.ts'
import { useTimeZone } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Copy } from '../parts/copy.tsx'
import { instantsOf } from '../parts/days.tsx'
import { Facts } from '../parts/facts.tsx'
import { DateFilter, FilterBar } from '../parts/filters.tsx'
import { count } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Tabs, useTabs } from '../parts/tabs.tsx'
import { foreign, mono } from '../parts/text.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { useWorkspaceName, WorkspaceFilter } from '../parts/workspace-filter.tsx'
import { words } from '../words/index.ts'
import { isFiltered, isWholeId, NO_FILTER, queryOf } from './filter.ts'
import { Filters, NoMatches, RequestDetails, RouteName, requestColumns, SampleNote } from './requests.tsx'

const MAX_CLIENTS = 200

export function Screen() {
  const { tab, links } = useTabs('/requests', [
    ['requests', words.requests.requests],
    ['unknown', words.requests.unknownKeys],
  ])
  return tab === 'unknown' ? <UnknownKeys links={links} /> : <Requests links={links} />
}

interface TabProps {
  links: ReturnType<typeof useTabs>['links']
}

function Requests({ links }: TabProps) {
  const [{ open, workspace, ...filter }, set] = useUrlState({ open: '', workspace: '', ...NO_FILTER })
  const dates = instantsOf(filter, useTimeZone())
  const input = { query: { ...queryOf({ ...filter, ...dates }), ...(workspace && { workspace }) } }
  const isSearchable = filter.request === '' || isWholeId(filter.request)
  const found = useList('listRequests', input, { topics: ['requests'] })
  const listed = isSearchable ? found : { items: [], error: null, more: null }
  const ofWorkspace = { params: { id: workspace }, query: { limit: MAX_CLIENTS } }
  const clients = useList('listClients', ofWorkspace, { when: workspace !== '' })
  const name = useWorkspaceName(workspace)
  const choose = (it: string) => set({ workspace: it, client: '' })
  const clear = () => set({ ...NO_FILTER, workspace: '' })
  return (
    <Page title={words.screens.requests} hasTimes actions={<ApiButton of="listRequests" input={input} />}>
      <Tabs label={words.screens.requests} of={links} />
      <Filters
        chosen={filter}
        set={set}
        clear={clear}
        clients={workspace ? (clients.items ?? []) : []}
        codes={Object.keys(words.requests.fixes)}
        chips={[[words.shell.workspace, workspace && name, () => choose('')]]}
      >
        <WorkspaceFilter chosen={workspace} set={choose} />
      </Filters>
      <SampleNote of={listed.items} />
      <Table
        {...listed}
        caption={words.requests.requests}
        columns={requestColumns<NamedApiRequest>([
          {
            head: words.shell.workspace,
            cell: ({ workspaceId, workspaceName }) => (
              <Link href={`~/console/w/${workspaceId}/requests`}>{foreign(workspaceName)}</Link>
            ),
          },
          { head: words.common.client, cell: ({ clientName }) => foreign(clientName), secondary: true },
        ])}
        keyOf={(row) => row.id}
        unfold={{
          open,
          set: (it) => set({ open: it }, { replace: true }),
          details: (row) => <RequestDetails request={row} />,
        }}
        empty={
          isFiltered(filter) || workspace ? (
            <NoMatches request={filter.request} clear={clear} />
          ) : (
            <p>{words.requests.kept}</p>
          )
        }
      />
    </Page>
  )
}

function UnknownKeys({ links }: TabProps) {
  const [{ open, address, from, to }, set] = useUrlState({ open: '', address: '', from: '', to: '' })
  const dates = instantsOf({ from, to }, useTimeZone())
  const query = {
    ...(address && { address }),
    ...(dates.from && { 'from-date': dates.from }),
    ...(dates.to && { 'to-date': dates.to }),
  }
  const list = useList('listUnknownKeyRequests', { query }, { topics: ['requests'] })
  const clear = () => set({ address: '', from: '', to: '' })
  const chips = [
    { label: words.requests.address, value: address, remove: () => set({ address: '' }) },
    {
      label: words.parts.date,
      value: from || to ? `${from} – ${to}` : '',
      remove: () => set({ from: '', to: '' }),
    },
  ]
  return (
    <Page title={words.screens.requests} hasTimes actions={<ApiButton of="listUnknownKeyRequests" input={{ query }} />}>
      <Tabs label={words.screens.requests} of={links} />
      <p class="quiet">{words.requests.unknownKeysAbout}</p>
      <FilterBar chosen={chips.filter(({ value }) => value)} clear={clear}>
        <DateFilter from={from} to={to} set={set} />
      </FilterBar>
      <Table
        {...list}
        caption={words.requests.unknownKeys}
        columns={unknownKeyColumns((it) => set({ address: it }))}
        keyOf={(row) => row.id}
        unfold={{
          open,
          set: (it) => set({ open: it }, { replace: true }),
          details: ({ id }) => <Facts of={[[words.requests.firstRequest, <Copy key="id" text={id} />]]} />,
        }}
        empty={address || from || to ? <NoMatches request="" clear={clear} /> : <p>{words.requests.noUnknownKeys}</p>}
      />
    </Page>
  )
}

function unknownKeyColumns(only: (address: string) => void): Column<UnknownKeyRequests>[] {
  return [
    { head: words.requests.last, cell: ({ lastAt }) => <Moment at={lastAt} /> },
    {
      head: words.requests.address,
      cell: ({ address }) =>
        address === null ? (
          <span class="quiet">{words.requests.otherAddresses}</span>
        ) : (
          <button type="button" class="link" onClick={() => only(address)}>
            {mono(address)}
          </button>
        ),
    },
    {
      head: words.requests.key,
      cell: ({ address, keyHint }) =>
        keyHint !== null ? (
          <code>{keyHint}</code>
        ) : (
          <span class="quiet">{address === null ? '–' : words.requests.noKey}</span>
        ),
    },
    { head: words.requests.endpoint, cell: (it) => <RouteName {...it} />, wide: true, secondary: true },
    { head: words.requests.count, cell: ({ requests }) => count(requests), right: true },
  ]
}
