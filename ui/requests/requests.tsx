// The list of the API log: its filters, columns and opened rows, for a workspace and for all workspaces.
import type { ComponentChildren } from 'preact'
import type { ApiRequest } from '../api/calls.ts'
import { useTimeZone } from '../caller.ts'
import { Banner } from '../parts/banner.tsx'
import { Copy } from '../parts/copy.tsx'
import { Facts } from '../parts/facts.tsx'
import { DateFilter, FilterBar, Select } from '../parts/filters.tsx'
import { duration, moment } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Moment } from '../parts/moment.tsx'
import { Search } from '../parts/search.tsx'
import { Pill, type Tone } from '../parts/status.tsx'
import type { Column } from '../parts/table.tsx'
import { words } from '../words/index.ts'
import { type Filter, isWholeId, OUTCOMES } from './filter.ts'

const API_ROOT = '/api/sms/v1'

interface FilterProps {
  chosen: Filter
  set: (changes: Partial<Filter>) => void
  clear: () => void
  clients: readonly { id: string; name: string }[]
  codes: readonly string[]
  /** Another filter, and its chip. */
  children?: ComponentChildren
  chips?: readonly Chip[]
}

type Chip = readonly [label: string, value: string, remove: () => void]

export function Filters({ chosen, set, clear, clients, codes, children, chips = [] }: FilterProps) {
  const timeZone = useTimeZone()
  const { request, outcome, code, client, from, to } = chosen
  const outcomes: Record<string, string> = words.requests.outcomes
  const dates = [from, to].map((at) => (at.includes('T') ? moment(at, 'row', timeZone) : at))
  const all: readonly Chip[] = [
    ...chips,
    [words.requests.outcome, outcomes[outcome] ?? '', () => set({ outcome: '' })],
    [words.requests.code, code, () => set({ code: '' })],
    [words.common.client, clients.find(({ id }) => id === client)?.name ?? client, () => set({ client: '' })],
    [words.parts.date, dates.some(Boolean) ? dates.join(' – ') : '', () => set({ from: '', to: '' })],
  ]
  // A code that an address names may be missing from the period.
  const offered = [...new Set(code ? [...codes, code] : codes)].sort()
  return (
    <FilterBar
      first={<Search label={words.requests.requestId} value={request} set={(it) => set({ request: it })} />}
      chosen={all.filter(([, value]) => value).map(([label, value, remove]) => ({ label, value, remove }))}
      clear={clear}
    >
      {children}
      <Select
        label={words.requests.outcome}
        any={words.requests.anyOutcome}
        value={outcome}
        of={OUTCOMES.map((it) => [it, words.requests.outcomes[it]])}
        set={(it) => set({ outcome: it })}
      />
      <Select
        label={words.requests.code}
        any={words.requests.anyCode}
        value={code}
        of={offered.map((it) => [it, it])}
        set={(it) => set({ code: it })}
      />
      {clients.length > 0 && (
        <Select
          label={words.common.client}
          any={words.messages.anyClient}
          value={client}
          of={clients.map((it) => [it.id, it.name])}
          set={(it) => set({ client: it })}
        />
      )}
      <DateFilter from={from} to={to} set={set} />
    </FilterBar>
  )
}

/** Nothing where every request is listed. */
export function SampleNote({ of }: { of: readonly ApiRequest[] | undefined }) {
  return of?.some((it) => it.isSampled) ? <Banner tone="info">{words.requests.sampledHint}</Banner> : null
}

export function NoMatches({ request, clear }: { request: string; clear: () => void }) {
  return (
    <>
      <Icon name="filter" />
      <p>{request && !isWholeId(request) ? words.requests.wholeId : words.requests.none}</p>
      <button type="button" onClick={clear}>
        {words.parts.clearFilters}
      </button>
    </>
  )
}

export function RequestDetails({ request }: { request: ApiRequest }) {
  const { id, code, keyHint, milliseconds } = request
  const fix = code === null ? '' : fixOf(code)
  return (
    <Facts
      of={[
        [words.requests.requestId, <Copy key="id" text={id} />],
        ...(code === null ? [] : [[words.requests.code, <ErrorLink key="code" code={code} />] as const]),
        [words.requests.duration, duration(milliseconds)],
        ...(keyHint === null ? [] : [[words.requests.key, <code key="key">{keyHint}…</code>] as const]),
        ...(fix ? [[words.requests.fix, fix] as const] : []),
      ]}
    />
  )
}

/** The guide explains every code. */
function ErrorLink({ code }: { code: string }) {
  return (
    <a href="/docs/guides/errors">
      <code>{code}</code>
    </a>
  )
}

/** `names` are the columns that name the sender. */
export function requestColumns<Row extends ApiRequest>(names: readonly Column<Row>[]): Column<Row>[] {
  return [
    { head: words.requests.at, cell: ({ at }) => <Moment at={at} />, fold: 'secondEnd' },
    {
      head: words.common.status,
      cell: ({ status, isSampled }) => (
        <>
          <Pill tone={toneOf(status)} word={String(status)} />
          {isSampled && <span class="meta"> {words.requests.sampled}</span>}
        </>
      ),
      fold: 'firstEnd',
    },
    {
      head: words.requests.code,
      cell: ({ code }) => (code === null ? <span class="quiet">–</span> : <code>{code}</code>),
      fold: 'second',
    },
    { head: words.requests.endpoint, cell: (it) => <RouteName {...it} />, wide: true, fold: 'first' },
    ...names,
    { head: words.requests.duration, cell: ({ milliseconds }) => duration(milliseconds), right: true, secondary: true },
  ]
}

export function toneOf(status: number): Tone {
  return status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'
}

export function RouteName({ method, route }: { method: string; route: string }) {
  return (
    <code>
      {method} {route.replace(API_ROOT, '')}
    </code>
  )
}

export function fixOf(code: string): string {
  const fixes: Record<string, string | undefined> = words.requests.fixes
  return fixes[code] ?? ''
}
