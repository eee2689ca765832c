// Overview: the verdict with its incidents, throughput and queue age, carriers, and what else needs a person.
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Now } from '../api/calls.ts'
import { useAction, useCall } from '../api/use.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Banner } from '../parts/banner.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { capitalize, count, duration, fromNow, share } from '../parts/format.ts'
import { boundOf, Health } from '../parts/health.tsx'
import { Icon } from '../parts/icon.tsx'
import { IncidentCard } from '../parts/incident.tsx'
import { Sparkline } from '../parts/line-chart.tsx'
import { Moment } from '../parts/moment.tsx'
import { useIsNarrow } from '../parts/narrow.ts'
import { Page, SectionHead } from '../parts/page.tsx'
import { RangeChoice, useRange } from '../parts/range-choice.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { words } from '../words/index.ts'
import { History } from './history.tsx'

/** All that an incident can be made of. */
const TOPICS = ['carriers', 'figures', 'messages', 'requests', 'webhooks', 'settings'] as const
/** A queue becomes late, and rates fall, with time alone. */
const EVERY_MS = 30_000
const USUAL_RANGE = '1h'
const MS = 1_000

export function Screen() {
  const { data: now, error } = useCall('getNow', {}, { topics: TOPICS, everyMs: EVERY_MS })
  const isNarrow = useIsNarrow()
  const range = <RangeChoice usual={USUAL_RANGE} />
  return (
    <Page
      title={words.screens.now}
      hasTimes
      more={
        now && (
          <>
            {!isNarrow && range}
            <Actions now={now} />
          </>
        )
      }
    >
      {isNarrow && range}
      {error && <ErrorNote error={error} />}
      {now ? <Overview now={now} /> : <Waiting />}
    </Page>
  )
}

function Overview({ now }: { now: Now }) {
  const [range] = useRange(USUAL_RANGE)
  const passing = now.findings.filter(({ state }) => state === 'ok').length
  const isWaiting = now.lanes.some(({ waiting }) => waiting > 0)
  return (
    <>
      {now.incidents.length === 0 && (
        <Banner tone="good">
          <strong>{words.now.allGood}</strong>{' '}
          <span class="quiet">{words.now.checksPassing(passing, count(passing))}</span>
        </Banner>
      )}
      {now.incidents.map((incident) => (
        <IncidentCard key={incident.id} incident={incident} now={now.at} />
      ))}
      <History range={range} outage={now.incidents.find(({ severity }) => severity === 'outage')} />
      <section class="stack">
        <SectionHead title={words.carriers.carriers} note={words.now.lastHour}>
          <Link href="/carriers">{words.screens.carriers}</Link>
        </SectionHead>
        <Table
          caption={words.carriers.carriers}
          columns={carrierColumns()}
          items={now.carriers}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => `/carriers/${id}`}
          empty={<Link href="/carriers">{words.carriers.add}</Link>}
        />
      </section>
      {isWaiting && (
        <section class="stack">
          <SectionHead title={words.now.queue} note={words.now.workers(now.processes, count(now.processes))} />
          <Table
            caption={words.now.queue}
            columns={queueColumns()}
            items={now.lanes}
            keyOf={({ lane }) => lane}
            hrefOf={({ lane }) => `/messages?status=queued&type=${lane}`}
          />
        </section>
      )}
      {now.failedWebhooks.latest.length > 0 && (
        <section class="stack">
          <SectionHead title={words.now.failedWebhooks} note={count(now.failedWebhooks.count)}>
            <Link href="/webhooks?state=failed">{words.screens.webhooks}</Link>
          </SectionHead>
          <Table
            caption={words.now.failedWebhooks}
            columns={webhookColumns()}
            items={now.failedWebhooks.latest}
            keyOf={({ id }) => id}
            hrefOf={({ workspace }) => `~/console/w/${workspace.id}/webhooks`}
          />
        </section>
      )}
      {now.unmatchedReceipts.latest.length > 0 && (
        <section class="stack">
          <SectionHead title={words.now.receipts} note={count(now.unmatchedReceipts.count)} />
          <Table
            caption={words.now.receipts}
            columns={receiptColumns(now)}
            items={now.unmatchedReceipts.latest}
            keyOf={({ id }) => id}
            hrefOf={({ carrierId }) => `/carriers/${carrierId}`}
          />
        </section>
      )}
    </>
  )
}

/** The pause of sending for the whole service. The incident of a pause offers to resume. */
function Actions({ now }: { now: Now }) {
  const [isPausing, setPausing] = useState(false)
  const change = useAction('changeService', ['getNow'])
  const pause = () => change.mutate({ body: { smsEnabled: false } }, { onSuccess: () => setPausing(false) })
  return (
    <>
      <ApiButton of="getNow" input={{}} />
      {now.smsEnabled && (
        <button type="button" onClick={() => setPausing(true)}>
          <Icon name="pause" />
          {words.now.pauseSending}
        </button>
      )}
      {isPausing && (
        <Confirm
          title={words.now.pauseSending}
          effect={words.now.pauseSendingEffect}
          name="OFF"
          submit={pause}
          mutation={change}
          close={() => setPausing(false)}
        />
      )}
    </>
  )
}

const queueColumns = (): Column<Now['lanes'][number]>[] => [
  { head: words.now.priority, cell: ({ lane }) => capitalize(words.types[lane]) },
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
  {
    head: words.now.throughput,
    cell: ({ segmentsPerMinute }) => (
      <Sparkline values={segmentsPerMinute} label={segmentsPerMinute.map(count).join(', ')} />
    ),
    secondary: true,
  },
  {
    head: words.now.delivered,
    cell: ({ deliveryRatio }) => (deliveryRatio === null ? '–' : share(deliveryRatio)),
    right: true,
    secondary: true,
  },
  {
    head: words.now.toReceipt,
    cell: ({ receiptSeconds }) => (receiptSeconds === null ? '–' : duration(receiptSeconds * MS)),
    right: true,
    secondary: true,
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
