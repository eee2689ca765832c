// The API log: failed requests of the workspace's clients, counted by error and listed.
import type { Calls, RefusedRequest, RequestError } from '../api/calls.ts'
import { useCall, useList } from '../api/use.ts'
import { useWorkspace } from '../caller.ts'
import { ClientTabs } from '../parts/client-tabs.tsx'
import { useClients } from '../parts/clients.ts'
import { Copy } from '../parts/copy.tsx'
import { Curl } from '../parts/curl.tsx'
import { Facts } from '../parts/facts.tsx'
import { Select } from '../parts/filters.tsx'
import { count, shortId } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Status, type Tone } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { foreign } from '../parts/text.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { Waiting } from '../parts/waiting.tsx'
import { words } from '../words/index.ts'

const DAY_HOURS = 24
const WEEK_HOURS = 168
const EVERY_MS = 15_000
const API_ROOT = '/api/sms/v1'

export function Screen() {
  const { id } = useWorkspace()
  const { clients, nameOf } = useClients()
  const [chosen, set] = useUrlState({ hours: String(DAY_HOURS), code: '', client: '' })
  const counted = useCall(
    'countRequestErrors',
    { params: { id }, query: { hours: chosen.hours === String(WEEK_HOURS) ? WEEK_HOURS : DAY_HOURS } },
    { everyMs: EVERY_MS },
  )
  const query: Calls['listRefusedRequests']['query'] = {
    ...(chosen.code ? { code: chosen.code } : {}),
    ...(chosen.client ? { client: chosen.client } : {}),
  }
  const input = { params: { id }, query }
  const failed = useList('listRefusedRequests', input, { everyMs: EVERY_MS })
  // The tables appear together, so that the second one does not move.
  const isLoaded = (counted.data || counted.error) && (failed.items || failed.error)
  return (
    <Page title={words.screens.requests} actions={<Curl of="listRefusedRequests" input={input} />}>
      <ClientTabs open="requests" />
      <Filters chosen={chosen} set={set} clients={clients} />
      <div class="card">
        <Facts of={sumsOf(counted.data?.requests)} />
      </div>
      {isLoaded ? (
        <>
          <h2>{words.requests.byError}</h2>
          <Table
            caption={words.requests.byError}
            columns={errorColumns((code) => set({ code }))}
            items={counted.data?.items}
            keyOf={({ method, route, status, code }) => `${method} ${route} ${status} ${code}`}
            error={counted.error}
            empty={<p>{words.requests.noErrors}</p>}
          />
          <h2>{words.requests.failedRequests}</h2>
          <Table
            {...failed}
            caption={words.requests.failedRequests}
            columns={requestColumns(nameOf)}
            keyOf={(row) => row.id}
            empty={<p>{chosen.code || chosen.client ? words.requests.none : words.requests.kept}</p>}
          />
        </>
      ) : (
        <Waiting />
      )}
    </Page>
  )
}

interface Filter {
  hours: string
  code: string
  client: string
}

interface FilterProps {
  chosen: Filter
  set: (changes: Partial<Filter>) => void
  clients: readonly { id: string; name: string }[]
}

function Filters({ chosen, set, clients }: FilterProps) {
  return (
    <div class="row">
      <select
        aria-label={words.parts.period}
        value={chosen.hours}
        onChange={(event) => set({ hours: event.currentTarget.value })}
      >
        <option value={DAY_HOURS}>{words.messages.lastDay}</option>
        <option value={WEEK_HOURS}>{words.requests.lastWeek}</option>
      </select>
      {clients.length > 0 && (
        <Select
          label={words.messages.anyClient}
          value={chosen.client}
          of={clients.map((it) => [it.id, it.name])}
          set={(client) => set({ client })}
        />
      )}
      {chosen.code && (
        <button type="button" onClick={() => set({ code: '' })}>
          {words.requests.onlyCode(chosen.code)}
        </button>
      )}
    </div>
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

const toneOf = (status: number): Tone => (status >= 500 ? 'bad' : 'warning')

function errorColumns(only: (code: string) => void): Column<RequestError>[] {
  return [
    { head: words.common.status, cell: ({ status }) => <Status tone={toneOf(status)}>{status}</Status> },
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

function requestColumns(nameOf: (clientId: string) => string): Column<RefusedRequest>[] {
  return [
    { head: words.requests.at, cell: ({ at }) => <Moment at={at} /> },
    { head: words.common.status, cell: ({ status }) => <Status tone={toneOf(status)}>{status}</Status> },
    { head: words.requests.code, cell: ({ code }) => <code>{code}</code> },
    { head: words.requests.endpoint, cell: (it) => <RouteName {...it} />, wide: true },
    { head: words.common.client, cell: ({ clientId }) => foreign(nameOf(clientId)), secondary: true },
    {
      head: words.requests.milliseconds,
      cell: ({ milliseconds }) => count(milliseconds),
      right: true,
      secondary: true,
    },
    { head: words.parts.request, cell: ({ id }) => <Copy text={id}>{shortId(id)}</Copy>, secondary: true },
  ]
}

function RouteName({ method, route }: { method: string; route: string }) {
  return (
    <code>
      {method} {route.replace(API_ROOT, '')}
    </code>
  )
}

function fixOf(code: string): string {
  const fixes: Record<string, string | undefined> = words.requests.fixes
  return fixes[code] ?? ''
}
