// Packet captures (D60): one is started, read line by line when it has ended, and downloaded for Wireshark.
import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import type { CarrierCapture, WholeCarrierCapture } from '../api/calls.ts'
import { Fault } from '../api/fault.ts'
import { useAct, useCall } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { Curl } from '../parts/curl.tsx'
import { FaultNote } from '../parts/fault.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { count, moment } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { numberOf } from '../parts/number-of.ts'
import { Status } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import css from './carriers.module.css'
import { lineOf } from './wire.ts'

const EVERY_MS = 2_000

export function Captures({ carrierId: id }: { carrierId: string }) {
  const input = { params: { id } }
  const { data, error } = useCall('listCarrierCaptures', input, { everyMs: EVERY_MS })
  const [{ capture: open }, setOpen] = useUrlState({ capture: '' })
  const [seconds, setSeconds] = useState('60')
  const start = useAct('captureCarrier', ['listCarrierCaptures'])
  const submit = () =>
    start.mutate(
      { params: { id }, body: { seconds: numberOf(seconds) } },
      { onSuccess: (capture) => setOpen({ capture: capture.id }) },
    )
  const chosen = data?.items.find((capture) => capture.id === open)
  return (
    <div class="stack">
      <section class="card stack">
        <div class="row">
          <h2>{words.wire.start}</h2>
          <span class="push">
            <Curl of="listCarrierCaptures" input={input} />
          </span>
        </div>
        <p class="quiet">{words.wire.means}</p>
        <Form act={words.wire.start} submit={submit} isBusy={start.isPending} fault={start.error} fields={['seconds']}>
          <TextField
            label={words.wire.seconds}
            hint={words.wire.secondsHint}
            value={seconds}
            set={setSeconds}
            wrong={start.error?.of('seconds')}
            inputMode="numeric"
          />
        </Form>
      </section>
      <Table
        caption={words.wire.captures}
        columns={columns()}
        rows={data?.items}
        keyOf={(capture) => capture.id}
        hrefOf={(capture) => `/carriers/${id}?tab=wire&capture=${capture.id}`}
        fault={error}
        empty={<p>{words.wire.none}</p>}
      />
      {chosen && <One key={chosen.id} carrierId={id} capture={chosen} />}
    </div>
  )
}

/** By the service's own word: its frames are stored when it ends, by whatever clock it goes. */
function isRunning({ endsAt, frames }: CarrierCapture): boolean {
  return frames === 0 && Date.parse(endsAt) > Date.now()
}

const columns = (): Column<CarrierCapture>[] => [
  { head: words.wire.started, cell: ({ startedAt }) => <Moment at={startedAt} style="whole" /> },
  {
    head: words.wire.until,
    cell: (capture) => (
      <Status tone={isRunning(capture) ? 'doubtful' : 'good'}>
        {isRunning(capture) ? words.wire.running : words.wire.ended} <Moment at={capture.endsAt} />
      </Status>
    ),
    wide: true,
  },
  { head: words.wire.frames, cell: ({ frames }) => count(frames), right: true },
]

function One({ carrierId, capture }: { carrierId: string; capture: CarrierCapture }) {
  const input = { params: { id: carrierId, captureId: capture.id } }
  const { data, error } = useCall('getCarrierCapture', input, { everyMs: EVERY_MS })
  const [fault, setFault] = useState<Fault | null>(null)
  const download = async () => {
    setFault(null)
    try {
      save((await call('getCarrierCaptureFile', input)).pcap, `capture-${capture.id}.pcap`)
    } catch (why) {
      if (why instanceof Fault) setFault(why)
      else throw why
    }
  }
  return (
    <section class="stack">
      <div class="row">
        <h2>{words.wire.exchanged}</h2>
        <span class="push">
          <Curl of="getCarrierCapture" input={input} />
        </span>
        <button
          type="button"
          onClick={() => inBackground(download())}
          aria-disabled={!data || data.exchanged.length === 0}
        >
          {words.wire.download}
        </button>
      </div>
      {fault && <FaultNote fault={fault} />}
      {error && !data && <FaultNote fault={error} />}
      {data?.exchanged.length === 0 && (
        <p class="card" role="status">
          {isRunning(capture) ? words.wire.notYet : words.wire.nothing}
        </p>
      )}
      {data && data.exchanged.length > 0 && (
        <ol class={`card ${css.wire}`} aria-label={words.wire.exchanged}>
          {data.exchanged.map((it, index) => (
            <Line key={index} it={it} />
          ))}
        </ol>
      )}
    </section>
  )
}

type Exchanged = WholeCarrierCapture['exchanged'][number]

function Line({ it: { at, bind, outgoing, decoded } }: { it: Exchanged }) {
  const { what, lines } = lineOf(decoded)
  return (
    <li>
      <time class="mono" dateTime={at} title={at}>
        {moment(at, 'second')}.{at.slice(20, 23)}
      </time>
      <span>
        {count(bind)} {outgoing ? words.wire.out : words.wire.in}
      </span>
      <span class="mono foreign">
        <strong>{what}</strong>{' '}
        {lines.map((line, index) => (
          <span key={index} class={index > 0 ? css.wireLine : undefined}>
            {line}
          </span>
        ))}
      </span>
    </li>
  )
}

function save(base64: string, name: string): void {
  const bytes = Uint8Array.from(atob(base64), (it) => it.charCodeAt(0))
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/vnd.tcpdump.pcap' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
