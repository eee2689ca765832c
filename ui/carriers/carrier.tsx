// One carrier: its status, its settings, its prices and its packet captures.
import { useState } from 'preact/hooks'
import { Link, useLocation, useParams } from 'wouter-preact'
import type { Carrier, HttpCarrier, SmppCarrier } from '../api/calls.ts'
import { useAction, useCall, useList } from '../api/use.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Copy } from '../parts/copy.tsx'
import { Curl } from '../parts/curl.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Facts } from '../parts/facts.tsx'
import { FindingsOn } from '../parts/findings.tsx'
import { count } from '../parts/format.ts'
import { Health } from '../parts/health.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Status } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Tabs, useTabs } from '../parts/tabs.tsx'
import { mono } from '../parts/text.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { words } from '../words/index.ts'
import { Captures } from './captures.tsx'
import { CarrierForm } from './carrier-form.tsx'
import css from './carriers.module.css'
import { LastHour } from './figures.tsx'
import { Prices } from './prices.tsx'
import { Receipts } from './receipts.tsx'
import { Settings } from './settings.tsx'
import { Tests } from './tests.tsx'

const EVERY_MS = 3_000
const FIGURES_EVERY_MS = 10_000

export function Screen() {
  const { id = '' } = useParams<{ id: string }>()
  const input = { params: { id } }
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null)
  const { data, error } = useCall('getCarrier', input, { everyMs: EVERY_MS })
  const carrier = data?.id === id ? data : undefined
  const { tab, links } = useTabs(`/carriers/${id}`, [
    ['now', words.carriers.tabs.now],
    ['settings', words.carriers.tabs.settings],
    ['prices', words.carriers.tabs.prices],
    ['wire', words.carriers.tabs.wire],
  ])
  return (
    <Page
      title={words.carriers.carrier}
      about={carrier?.name}
      actions={
        <>
          <Link href="/carriers">{words.carriers.toAll}</Link>
          <Curl of="getCarrier" input={input} />
          <button type="button" onClick={() => setOpen('edit')}>
            {words.carriers.edit}
          </button>
          <button type="button" class="danger" onClick={() => setOpen('remove')}>
            {words.common.remove}
          </button>
        </>
      }
    >
      <Tabs label={words.carriers.carrier} of={links} />
      {error && !carrier && <ErrorNote error={error} />}
      {!carrier && !error && <Waiting />}
      {carrier && tab === 'now' && <StatusTab carrier={carrier} />}
      {carrier && tab === 'settings' && <Settings carrier={carrier} />}
      {carrier && tab === 'prices' && <Prices carrierId={id} />}
      {carrier && tab === 'wire' && <Captures carrierId={id} />}
      {carrier && open === 'edit' && <CarrierForm carrier={carrier} close={() => setOpen(null)} />}
      {carrier && open === 'remove' && <RemoveCarrier carrier={carrier} close={() => setOpen(null)} />}
    </Page>
  )
}

function StatusTab({ carrier }: { carrier: Carrier }) {
  const { id } = carrier
  const input = { params: { id } }
  const tests = useCall('listCarrierTests', input, { everyMs: EVERY_MS })
  const receipts = useList('listUnmatchedReceipts', input)
  const figures = useCall('getCarrierFigures', input, { everyMs: FIGURES_EVERY_MS })
  const health = useCall('checkHealth', {}, { everyMs: FIGURES_EVERY_MS })
  const error = tests.error ?? receipts.error ?? figures.error ?? health.error
  if (!tests.data || !receipts.items || !figures.data || !health.data)
    return error ? <ErrorNote error={error} /> : <Waiting />
  return (
    <>
      <FindingsOn id={id} findings={health.data.findings} />
      <div class={css.one}>
        <section class={`card stack ${css.about}`}>
          <About carrier={carrier} />
        </section>
        <Tests carrierId={id} tests={tests.data.items} />
      </div>
      <Table
        caption={words.carriers.binds}
        columns={connectionColumns()}
        items={carrier.state}
        keyOf={({ number }) => String(number)}
        empty={<p class="quiet">{words.now.none}</p>}
      />
      <LastHour carrierId={id} figures={figures.data} />
      <Receipts carrierId={id} list={receipts} />
    </>
  )
}

function About({ carrier }: { carrier: Carrier }) {
  const { id, kind, health, window, segmentsPerSecond } = carrier
  return (
    <Facts
      of={[
        [words.common.status, <Health key="h" {...health} />],
        [words.carriers.since, <Moment key="s" at={health.since} style="whole" />],
        [words.newCarrier.kind, kind.toUpperCase()],
        ...(carrier.kind === 'http' ? factsOfHttp(carrier) : factsOfSmpp(carrier)),
        [words.carriers.window, count(window)],
        [words.carriers.segmentsPerSecond, segmentsPerSecond === null ? words.clients.noCap : count(segmentsPerSecond)],
        [words.common.id, <Copy key="id" text={id} />],
      ]}
    />
  )
}

function factsOfSmpp({ host, port, tls, systemId, idFormat }: SmppCarrier) {
  const ids = typeof idFormat === 'string' ? idFormat : `${idFormat.answers} / ${idFormat.reports}`
  return [
    [words.carriers.address, mono(`${host}:${port}${tls ? ' (TLS)' : ''}`)],
    [words.carriers.systemId, mono(systemId)],
    [words.carriers.idFormats, mono(ids)],
  ] as const
}

function factsOfHttp({ http: { method, url, preset } }: HttpCarrier) {
  return [
    [words.carriers.address, mono(`${method} ${url}`)],
    ...(preset ? [[words.carriers.preset, mono(preset.name)] as const] : []),
  ] as const
}

function RemoveCarrier({ carrier: { id, name }, close }: { carrier: Carrier; close: () => void }) {
  const [, go] = useLocation()
  const remove = useAction('removeCarrier', ['listCarriers', 'getNow'])
  return (
    <Confirm
      title={words.common.remove}
      effect={words.carriers.removeMeans}
      name={name}
      submit={() => remove.mutate({ params: { id } }, { onSuccess: () => go('/carriers') })}
      mutation={remove}
      close={close}
    />
  )
}

const TONES = { bound: 'good', connecting: 'warning', waiting: 'bad', idle: 'neutral' } as const

const connectionColumns = (): Column<Carrier['state'][number]>[] => [
  { head: words.carriers.bind, cell: ({ number, mode }) => `${number} ${mode}` },
  {
    head: words.common.status,
    cell: ({ state }) => <Status tone={TONES[state]}>{words.carriers.states[state]}</Status>,
  },
  { head: words.carriers.peer, cell: ({ peer }) => mono(peer ?? '–'), secondary: true },
  { head: words.carriers.since, cell: ({ boundAt }) => <Moment at={boundAt} />, secondary: true },
  { head: words.now.inFlight, cell: ({ inFlight }) => count(inFlight), right: true, secondary: true },
  {
    head: words.now.perSecond,
    cell: ({ segmentsPerSecond }) => count(Math.round(segmentsPerSecond)),
    right: true,
    secondary: true,
  },
  {
    head: words.carriers.lastError,
    cell: ({ lastError }) => <span class="quiet foreign">{lastError ?? '–'}</span>,
    wide: true,
  },
]
