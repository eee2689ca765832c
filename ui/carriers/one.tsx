// One carrier: how each bind does, whether it is there when asked, receipts that belong to nothing, and its settings.
import { useState } from 'preact/hooks'
import { useLocation, useParams } from 'wouter-preact'
import type { Carrier } from '../api/calls.ts'
import { useAct, useCall, useList } from '../api/use.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Copy } from '../parts/copy.tsx'
import { Curl } from '../parts/curl.tsx'
import { Facts } from '../parts/facts.tsx'
import { FaultNote } from '../parts/fault.tsx'
import { count } from '../parts/format.ts'
import { Health } from '../parts/health.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Status } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { words } from '../words/index.ts'
import { CarrierForm } from './carrier-form.tsx'
import css from './carriers.module.css'
import { Receipts } from './receipts.tsx'
import { Tests } from './tests.tsx'

const EVERY_MS = 3_000

export function Screen() {
  const { id = '' } = useParams<{ id: string }>()
  const input = { params: { id } }
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null)
  const { data, error } = useCall('getCarrier', input, { everyMs: EVERY_MS })
  const carrier = data?.id === id ? data : undefined
  const tests = useCall('listCarrierTests', input, { everyMs: EVERY_MS })
  const receipts = useList('listUnmatchedReceipts', input)
  const isLoaded = carrier && tests.data && receipts.items
  return (
    <Page
      title={words.carriers.carrier}
      about={carrier?.name}
      actions={
        <>
          <Curl of="getCarrier" input={input} />
          <button type="button" onClick={() => setOpen('edit')}>
            {words.carriers.edit}
          </button>
          <button type="button" class="danger" onClick={() => setOpen('remove')}>
            {words.carriers.remove}
          </button>
        </>
      }
    >
      {error && !carrier && <FaultNote fault={error} />}
      {!isLoaded && !error && <Waiting />}
      {isLoaded && (
        <>
          <div class={css.one}>
            <section class={`card stack ${css.about}`}>
              <About carrier={carrier} />
            </section>
            <Tests carrierId={id} tests={tests.data.items} />
          </div>
          <Table
            caption={words.carriers.binds}
            columns={binds()}
            rows={carrier.state}
            keyOf={({ number }) => String(number)}
            empty={<p class="quiet">{words.now.none}</p>}
          />
          <Receipts carrierId={id} list={receipts} />
        </>
      )}
      {carrier && open === 'edit' && <CarrierForm carrier={carrier} close={() => setOpen(null)} />}
      {carrier && open === 'remove' && <Remove carrier={carrier} close={() => setOpen(null)} />}
    </Page>
  )
}

function About({ carrier }: { carrier: Carrier }) {
  const { id, health, host, port, tls, systemId, idFormat, window, segmentsPerSecond } = carrier
  const ids = typeof idFormat === 'string' ? idFormat : `${idFormat.answers} / ${idFormat.reports}`
  return (
    <Facts
      of={[
        [words.now.health, <Health key="h" {...health} />],
        [words.carriers.since, <Moment key="s" at={health.since} style="whole" />],
        [words.carriers.address, <span key="a" class="mono">{`${host}:${port}${tls ? ' (TLS)' : ''}`}</span>],
        [
          words.carriers.systemId,
          <span key="i" class="mono foreign">
            {systemId}
          </span>,
        ],
        [words.carriers.window, count(window)],
        [words.carriers.segmentsPerSecond, segmentsPerSecond === null ? '∞' : count(segmentsPerSecond)],
        [
          `${words.carriers.answerIds} / ${words.carriers.reportIds}`,
          <span key="f" class="mono">
            {ids}
          </span>,
        ],
        [words.messages.id, <Copy key="id" text={id} />],
      ]}
    />
  )
}

function Remove({ carrier: { id, name }, close }: { carrier: Carrier; close: () => void }) {
  const [, go] = useLocation()
  const remove = useAct('removeCarrier', ['listCarriers', 'getNow'])
  return (
    <Confirm
      title={words.carriers.remove}
      effect={words.carriers.removeMeans}
      name={name}
      act={words.carriers.remove}
      submit={() => remove.mutate({ params: { id } }, { onSuccess: () => go('/carriers') })}
      isBusy={remove.isPending}
      fault={remove.error}
      close={close}
    />
  )
}

const TONES = { bound: 'good', connecting: 'doubtful', waiting: 'bad', idle: 'going' } as const

const binds = (): Column<Carrier['state'][number]>[] => [
  { head: words.carriers.bind, cell: ({ number, mode }) => `${number} ${mode}` },
  {
    head: words.carriers.state,
    cell: ({ state }) => <Status tone={TONES[state]}>{words.carriers.states[state]}</Status>,
  },
  { head: words.carriers.since, cell: ({ boundAt }) => <Moment at={boundAt} />, roomy: true },
  { head: words.now.inFlight, cell: ({ inFlight }) => count(inFlight), right: true, roomy: true },
  {
    head: words.now.perSecond,
    cell: ({ segmentsPerSecond }) => count(Math.round(segmentsPerSecond)),
    right: true,
    roomy: true,
  },
  {
    head: words.carriers.lastError,
    cell: ({ lastError }) => <span class="quiet foreign">{lastError ?? '–'}</span>,
    wide: true,
  },
]
