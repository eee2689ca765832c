// Overview: the queue, rates, carriers, failed webhooks and issues, updated automatically.
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Now } from '../api/calls.ts'
import { useAction, useCall } from '../api/use.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Curl } from '../parts/curl.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Findings } from '../parts/findings.tsx'
import { count, fromNow } from '../parts/format.ts'
import { boundOf, Health } from '../parts/health.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Status } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { words } from '../words/index.ts'
import css from './now.module.css'
import { Rates } from './rates.tsx'

const EVERY_MS = 2_000

export function Screen() {
  const { data: now, error } = useCall('getNow', {}, { everyMs: EVERY_MS })
  return (
    <Page title={words.screens.now} actions={now && <Actions now={now} />}>
      {error && <ErrorNote error={error} />}
      {now ? <Overview now={now} /> : <Waiting />}
    </Page>
  )
}

function Overview({ now }: { now: Now }) {
  return (
    <>
      <Rates now={now} />
      <Findings findings={now.findings} />
      <div class={css.pair}>
        <section class="stack">
          <h2>
            {words.now.queue}{' '}
            <span class={`quiet ${css.light}`}>{words.now.workers(now.processes, count(now.processes))}</span>
          </h2>
          <Table caption={words.now.queue} columns={queueColumns()} items={now.lanes} keyOf={({ lane }) => lane} />
        </section>
        <section class="stack">
          <h2>
            {words.now.failedWebhooks} <Count of={now.failedWebhooks.count} />
          </h2>
          <Table
            caption={words.now.failedWebhooks}
            columns={webhookColumns()}
            items={now.failedWebhooks.latest}
            keyOf={({ id }) => id}
            hrefOf={({ workspace }) => `~/console/w/${workspace.id}/webhooks`}
            empty={<p class="quiet">{words.now.none}</p>}
          />
        </section>
      </div>
      <section class="stack">
        <h2>{words.carriers.carriers}</h2>
        <Table
          caption={words.carriers.carriers}
          columns={carrierColumns()}
          items={now.carriers}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => `/carriers/${id}`}
          empty={<Link href="/carriers">{words.carriers.add}</Link>}
        />
      </section>
      <section class="stack">
        <h2>
          {words.now.receipts} <Count of={now.unmatchedReceipts.count} />
        </h2>
        <Table
          caption={words.now.receipts}
          columns={receiptColumns(now)}
          items={now.unmatchedReceipts.latest}
          keyOf={({ id }) => id}
          hrefOf={({ carrierId }) => `/carriers/${carrierId}`}
          empty={<p class="quiet">{words.now.none}</p>}
        />
      </section>
    </>
  )
}

function Count({ of }: { of: number }) {
  return of > 0 ? <span class="bad">{count(of)}</span> : null
}

/** Pauses or resumes sending for the whole service; a pause is confirmed. */
function Actions({ now }: { now: Now }) {
  const [isPausing, setPausing] = useState(false)
  const change = useAction('changeService', ['getNow'])
  const set = (smsEnabled: boolean) => change.mutate({ body: { smsEnabled } }, { onSuccess: () => setPausing(false) })
  return (
    <>
      <Curl of="getNow" input={{}} />
      {!isPausing && change.error && <ErrorNote error={change.error} />}
      <Status tone={now.smsEnabled ? 'good' : 'bad'}>
        {now.smsEnabled ? words.now.sendingOn : words.now.sendingOff}
      </Status>
      <button
        type="button"
        onClick={() => (now.smsEnabled ? setPausing(true) : set(true))}
        aria-disabled={change.isPending}
      >
        {now.smsEnabled ? words.now.pauseSending : words.now.resumeSending}
      </button>
      {isPausing && (
        <Confirm
          title={words.now.pauseSending}
          effect={words.now.pauseSendingEffect}
          name="OFF"
          submit={() => set(false)}
          mutation={change}
          close={() => setPausing(false)}
        />
      )}
    </>
  )
}

const queueColumns = (): Column<Now['lanes'][number]>[] => [
  { head: words.now.priority, cell: ({ lane }) => words.types[lane] },
  {
    head: words.now.waiting,
    cell: ({ waiting, isEstimate }) => (isEstimate ? words.now.about(count(waiting)) : count(waiting)),
    right: true,
  },
  {
    head: words.now.oldest,
    cell: ({ oldestDueAt }) =>
      oldestDueAt ? <span title={oldestDueAt}>{fromNow(oldestDueAt)}</span> : <span class="quiet">–</span>,
    right: true,
  },
]

const webhookColumns = (): Column<Now['failedWebhooks']['latest'][number]>[] => [
  { head: words.shell.workspace, cell: ({ workspace }) => <span class="foreign">{workspace.name}</span> },
  { head: words.common.client, cell: ({ client }) => <span class="foreign">{client.name}</span>, secondary: true },
  { head: words.common.reason, cell: ({ because }) => words.webhooks.failureReasons[because] },
  { head: words.now.failedAt, cell: ({ endedAt }) => <Moment at={endedAt} />, right: true },
]

const carrierColumns = (): Column<Now['carriers'][number]>[] => [
  { head: words.carriers.carrier, cell: ({ name }) => <span class="foreign">{name}</span> },
  { head: words.common.status, cell: ({ health }) => <Health {...health} />, wide: true },
  { head: words.carriers.binds, cell: ({ state }) => boundOf(state), right: true, secondary: true },
  {
    head: words.now.inFlight,
    cell: ({ state }) => count(sum(state.map((it) => it.inFlight))),
    right: true,
    secondary: true,
  },
  {
    head: words.now.perSecond,
    cell: ({ state }) => count(Math.round(sum(state.map((it) => it.segmentsPerSecond)))),
    right: true,
    secondary: true,
  },
  { head: words.now.unmatched, cell: ({ unmatched }) => count(unmatched), right: true, secondary: true },
  {
    head: words.now.inDoubt,
    cell: ({ inDoubt }) =>
      inDoubt ? (
        <span class="bad" title={inDoubt.since}>
          {words.now.inDoubtSince(count(inDoubt.messages), fromNow(inDoubt.since))}
        </span>
      ) : (
        '0'
      ),
    right: true,
  },
]

const receiptColumns = (now: Now): Column<Now['unmatchedReceipts']['latest'][number]>[] => [
  { head: words.now.reference, cell: ({ reference }) => <span class="mono foreign">{reference}</span> },
  {
    head: words.carriers.carrier,
    cell: ({ carrierId }) => <span class="foreign">{now.carriers.find(({ id }) => id === carrierId)?.name}</span>,
  },
  { head: words.now.state, cell: ({ state }) => <span class="foreign">{state}</span>, secondary: true },
  { head: words.now.received, cell: ({ receivedAt }) => <Moment at={receivedAt} />, right: true },
]

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
