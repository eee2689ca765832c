// The API log: failed requests of the workspace's clients, counted by error and listed.

import type { Calls, RefusedRequest, RequestError } from '../api/calls.ts'
import { useCall, useList } from '../api/use.ts'
import { useWorkspace } from '../caller.ts'
import { useClients } from '../parts/clients.ts'
import { Copy } from '../parts/copy.tsx'
import { Curl } from '../parts/curl.tsx'
import { Facts } from '../parts/facts.tsx'
import { Choice } from '../parts/filters.tsx'
import { count, shortId } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Status, type Tone } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import css from './requests.module.css'

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
  const { items, fault, more } = useList('listRefusedRequests', input, { everyMs: EVERY_MS })
  // Both at once: the second table must not move when the first is there.
  const isLoaded = (counted.data || counted.error) && (items || fault)
  return (
    <Page title={words.screens.requests} actions={<Curl of="listRefusedRequests" input={input} />}>
      <Tabs
        label={words.clients.tabs}
        of={[
          ['/clients', words.screens.clients, false],
          ['/requests', words.screens.requests, true],
        ]}
      />
      <Filters chosen={chosen} set={set} clients={clients} />
      <div class="card">
        <Facts of={sumsOf(counted.data?.requests)} />
      </div>
      {isLoaded ? (
        <>
          <Table
            caption={words.requests.byError}
            columns={errorColumns((code) => set({ code }))}
            rows={counted.data?.items}
            keyOf={({ method, route, status, code }) => `${method} ${route} ${status} ${code}`}
            fault={counted.error}
            empty={<p>{words.requests.noErrors}</p>}
          />
          <Table
            caption={words.requests.failedRequests}
            columns={requestColumns(nameOf)}
            rows={items}
            keyOf={(row) => row.id}
            fault={fault}
            more={more}
            empty={<p>{words.requests.none}</p>}
          />
        </>
      ) : (
        <div class={css.loading} aria-busy="true" />
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
        aria-label={words.requests.period}
        value={chosen.hours}
        onChange={(event) => set({ hours: event.currentTarget.value })}
      >
        <option value={DAY_HOURS}>{words.requests.lastDay}</option>
        <option value={WEEK_HOURS}>{words.requests.lastWeek}</option>
      </select>
      {clients.length > 0 && (
        <Choice
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

const toneOf = (status: number): Tone => (status >= 500 ? 'bad' : 'doubtful')
const routeOf = (route: string) => route.replace(API_ROOT, '')

function errorColumns(only: (code: string) => void): Column<RequestError>[] {
  return [
    { head: words.requests.status, cell: ({ status }) => <Status tone={toneOf(status)}>{status}</Status> },
    {
      head: words.requests.code,
      cell: ({ code }) => (
        <button type="button" class="link" onClick={() => only(code)}>
          {code}
        </button>
      ),
    },
    {
      head: words.requests.endpoint,
      cell: ({ method, route }) => <RouteName method={method} route={route} />,
      wide: true,
    },
    { head: words.requests.fix, cell: ({ code }) => <span class="quiet">{meaningOf(code)}</span>, roomy: true },
    { head: words.requests.count, cell: ({ requests }) => count(requests), right: true },
    { head: words.requests.last, cell: ({ lastAt }) => <Moment at={lastAt} />, roomy: true },
  ]
}

function requestColumns(nameOf: (clientId: string) => string): Column<RefusedRequest>[] {
  return [
    { head: words.requests.at, cell: ({ at }) => <Moment at={at} /> },
    { head: words.requests.status, cell: ({ status }) => <Status tone={toneOf(status)}>{status}</Status> },
    { head: words.requests.code, cell: ({ code }) => <code>{code}</code> },
    {
      head: words.requests.endpoint,
      cell: ({ method, route }) => <RouteName method={method} route={route} />,
      wide: true,
    },
    {
      head: words.message.client,
      cell: ({ clientId }) => <span class="foreign">{nameOf(clientId)}</span>,
      roomy: true,
    },
    { head: words.requests.milliseconds, cell: ({ milliseconds }) => count(milliseconds), right: true, roomy: true },
    { head: words.parts.request, cell: ({ id }) => <Copy text={id}>{shortId(id)}</Copy>, roomy: true },
  ]
}

function RouteName({ method, route }: { method: string; route: string }) {
  return (
    <code>
      {method} {routeOf(route)}
    </code>
  )
}

function meaningOf(code: string): string {
  const meanings: Record<string, string | undefined> = words.requests.fixes
  return meanings[code] ?? ''
}
