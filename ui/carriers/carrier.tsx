// One carrier: its status, its settings, its prices and its packet captures.
import { useState } from 'preact/hooks'
import { useLocation, useParams } from 'wouter-preact'
import type { Carrier, HttpCarrier, SmppCarrier } from '../api/calls.ts'
import { useAction, useCall, useList } from '../api/use.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Banner } from '../parts/banner.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Copy } from '../parts/copy.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Facts } from '../parts/facts.tsx'
import { count, shortId } from '../parts/format.ts'
import { Health } from '../parts/health.tsx'
import { IncidentCard } from '../parts/incident.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page, SectionHead } from '../parts/page.tsx'
import { Pill } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Tabs, useTabs } from '../parts/tabs.tsx'
import { mono } from '../parts/text.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { words } from '../words/index.ts'
import { Captures } from './captures.tsx'
import { EditCarrier } from './carrier-form.tsx'
import css from './carriers.module.css'
import { LastHour } from './figures.tsx'
import { Prices } from './prices.tsx'
import { Receipts } from './receipts.tsx'
import { RouteForm } from './route-form.tsx'
import { useRouting } from './routing.ts'
import { Settings } from './settings.tsx'
import { Tests } from './tests.tsx'

const FIGURES_GAP_MS = 10_000

export function Screen() {
  const { id = '' } = useParams<{ id: string }>()
  const input = { params: { id } }
  const [open, setOpen] = useState<'edit' | 'remove' | 'route' | null>(null)
  const { data, error } = useCall('getCarrier', input, { topics: ['carriers', 'figures', 'settings'] })
  const { routing, error: routingError } = useRouting()
  const carrier = data?.id === id ? data : undefined
  const { tab, links } = useTabs(`/carriers/${id}`, [
    ['now', words.carriers.tabs.now],
    ['settings', words.carriers.tabs.settings],
    ['prices', words.carriers.tabs.prices],
    ['wire', words.carriers.tabs.wire],
  ])
  const failure = carrier ? routingError : (error ?? routingError)
  const isLoaded = carrier !== undefined && routing !== undefined
  const hasRoute = routing?.routes.some(({ carrierId }) => carrierId === id)
  const close = () => setOpen(null)
  return (
    <Page
      title={carrier?.name ?? words.carriers.carrier}
      about={carrier && <Health state={carrier.health.state} reason={null} />}
      parents={[['/carriers', words.screens.carriers]]}
      hasTimes
      here={shortId(id)}
      more={
        <>
          <ApiButton of="getCarrier" input={input} />
          <button type="button" onClick={() => setOpen('edit')} aria-disabled={!carrier}>
            {words.carriers.edit}
          </button>
          <button type="button" class="danger" onClick={() => setOpen('remove')} aria-disabled={!carrier}>
            {words.common.remove}
          </button>
        </>
      }
    >
      <Tabs label={words.carriers.carrier} of={links} />
      {failure && !isLoaded && <ErrorNote error={failure} />}
      {!isLoaded && !failure && <Waiting />}
      {isLoaded && !hasRoute && <NoRoute add={() => setOpen('route')} />}
      {isLoaded && tab === 'now' && <StatusTab carrier={carrier} />}
      {isLoaded && tab === 'settings' && <Settings carrier={carrier} />}
      {isLoaded && tab === 'prices' && <Prices carrierId={id} />}
      {isLoaded && tab === 'wire' && <Captures carrierId={id} />}
      {carrier && open === 'edit' && <EditCarrier carrier={carrier} close={close} />}
      {carrier && open === 'remove' && <RemoveCarrier carrier={carrier} close={close} />}
      {routing && open === 'route' && <RouteForm route={undefined} carrierId={id} routing={routing} close={close} />}
    </Page>
  )
}

function NoRoute({ add }: { add: () => void }) {
  return (
    <Banner tone="warn">
      <div class="row">
        <span>{words.carriers.noRouteMeans}</span>
        <button type="button" class="push" onClick={add}>
          {words.carriers.addARoute}
        </button>
      </div>
    </Banner>
  )
}

function StatusTab({ carrier }: { carrier: Carrier }) {
  const { id } = carrier
  const input = { params: { id } }
  const tests = useCall('listCarrierTests', input, { topics: ['carriers', 'settings'] })
  const receipts = useList('listUnmatchedReceipts', input, { topics: ['carriers'] })
  const figures = useCall('getCarrierFigures', input, { topics: ['figures'], gapMs: FIGURES_GAP_MS })
  const health = useCall('checkHealth', {}, { topics: ['carriers', 'figures', 'settings'], gapMs: FIGURES_GAP_MS })
  const error = tests.error ?? receipts.error ?? figures.error ?? health.error
  if (!tests.data || !receipts.items || !figures.data || !health.data)
    return error ? <ErrorNote error={error} /> : <Waiting />
  return (
    <>
      {health.data.incidents
        .filter(({ about }) => about?.id === id)
        .map((incident) => (
          <IncidentCard key={incident.id} incident={incident} now={new Date().toISOString()} here={`/carriers/${id}`} />
        ))}
      <div class={css.one}>
        <section class={`card stack ${css.about}`}>
          <h2>{words.carriers.overview}</h2>
          <About carrier={carrier} />
        </section>
        <Tests carrierId={id} tests={tests.data.items} />
      </div>
      <section class="stack">
        <SectionHead title={words.carriers.binds} />
        <Table
          caption={words.carriers.binds}
          columns={connectionColumns()}
          items={carrier.state}
          keyOf={({ number }) => String(number)}
          empty={<p class="quiet">{words.now.none}</p>}
        />
      </section>
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

const TONES = { bound: 'good', connecting: 'warn', waiting: 'bad', idle: 'idle' } as const

const connectionColumns = (): Column<Carrier['state'][number]>[] => [
  { head: words.carriers.bind, cell: ({ number, mode }) => `${number} ${mode}` },
  {
    head: words.common.status,
    cell: ({ state }) => <Pill tone={TONES[state]} word={words.carriers.states[state]} />,
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
