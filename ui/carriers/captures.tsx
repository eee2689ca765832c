// Packet captures (D60): a form to start one, a list, and the packets of the open one, also as a file for Wireshark.
import { useState } from 'preact/hooks'
import { ApiError } from '../api/api-error.ts'
import { call } from '../api/call.ts'
import type { CarrierCapture, WholeCarrierCapture } from '../api/calls.ts'
import { useAction, useCall } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { count, moment } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { numberOf } from '../parts/number-of.ts'
import { SectionHead } from '../parts/page.tsx'
import { saveFile } from '../parts/save-file.ts'
import { Pill } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import css from './carriers.module.css'
import { describePacket } from './wire.ts'

export function Captures({ carrierId: id }: { carrierId: string }) {
  const input = { params: { id } }
  const { data, error } = useCall('listCarrierCaptures', input, { topics: ['carriers', 'settings'] })
  const [{ capture: open }, setOpen] = useUrlState({ capture: '' })
  const [seconds, setSeconds] = useState('60')
  const start = useAction('captureCarrier', ['listCarrierCaptures'])
  const submit = () =>
    start.mutate(
      { params: { id }, body: { seconds: numberOf(seconds) } },
      { onSuccess: (capture) => setOpen({ capture: capture.id }) },
    )
  const chosen = data?.items.find((capture) => capture.id === open)
  return (
    <div class="stack">
      <section class="card stack">
        <SectionHead title={words.wire.start}>
          <ApiButton of="listCarrierCaptures" input={input} />
        </SectionHead>
        <p class="quiet">{words.wire.means}</p>
        <Form submitLabel={words.wire.start} submit={submit} mutation={start} fields={['seconds']}>
          <TextField
            label={words.wire.seconds}
            hint={words.wire.secondsHint}
            value={seconds}
            set={setSeconds}
            error={start.error?.of('seconds')}
            inputMode="numeric"
          />
        </Form>
      </section>
      <Table
        caption={words.wire.captures}
        columns={columns()}
        items={data?.items}
        keyOf={(capture) => capture.id}
        hrefOf={(capture) => `/carriers/${id}?tab=wire&capture=${capture.id}`}
        error={error}
        empty={<p>{words.wire.none}</p>}
      />
      {chosen && <Packets key={chosen.id} carrierId={id} capture={chosen} />}
    </div>
  )
}

/** The service stores the frames when a capture ends, so a capture with frames has ended even if the clocks differ. */
function isRunning({ endsAt, frames }: CarrierCapture): boolean {
  return frames === 0 && Date.parse(endsAt) > Date.now()
}

const columns = (): Column<CarrierCapture>[] => [
  { head: words.wire.started, cell: ({ startedAt }) => <Moment at={startedAt} style="whole" /> },
  {
    head: words.wire.until,
    cell: (capture) => (
      <Pill
        tone={isRunning(capture) ? 'info' : 'idle'}
        word={isRunning(capture) ? words.wire.running : words.wire.ended}
        note={<Moment at={capture.endsAt} />}
      />
    ),
    wide: true,
  },
  { head: words.wire.packets, cell: ({ frames }) => count(frames), right: true },
]

function Packets({ carrierId, capture }: { carrierId: string; capture: CarrierCapture }) {
  const input = { params: { id: carrierId, captureId: capture.id } }
  const { data, error } = useCall('getCarrierCapture', input, { topics: ['carriers'] })
  const [downloadError, setDownloadError] = useState<ApiError | null>(null)
  const download = async () => {
    setDownloadError(null)
    try {
      savePackets((await call('getCarrierCaptureFile', input)).pcap, `capture-${capture.id}.pcap`)
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown
      setDownloadError(thrown)
    }
  }
  return (
    <section class="stack">
      <SectionHead title={words.wire.packets}>
        <ApiButton of="getCarrierCapture" input={input} />
        <button
          type="button"
          onClick={() => inBackground(download())}
          aria-disabled={!data || data.exchanged.length === 0}
        >
          {words.wire.download}
        </button>
      </SectionHead>
      {downloadError && <ErrorNote error={downloadError} />}
      {error && !data && <ErrorNote error={error} />}
      {data?.exchanged.length === 0 && (
        <p class="card" role="status">
          {isRunning(capture) ? words.wire.notYet : words.wire.nothing}
        </p>
      )}
      {data && data.exchanged.length > 0 && (
        <ol class={`card ${css.wire}`} aria-label={words.wire.packets}>
          {data.exchanged.map((it, index) => (
            <Packet key={index} packet={it} />
          ))}
        </ol>
      )}
    </section>
  )
}

type ExchangedPacket = WholeCarrierCapture['exchanged'][number]

function Packet({ packet: { at, bind, outgoing, decoded } }: { packet: ExchangedPacket }) {
  const { title, lines } = describePacket(decoded)
  return (
    <li>
      <time class="mono" dateTime={at} title={at}>
        {moment(at, 'second')}.{at.slice(20, 23)}
      </time>
      <span>
        {count(bind)} {outgoing ? words.wire.out : words.wire.in}
      </span>
      <span class="mono foreign">
        <strong>{title}</strong>{' '}
        {lines.map((line, index) => (
          <span key={index} class={index > 0 ? css.wireLine : undefined}>
            {line}
          </span>
        ))}
      </span>
    </li>
  )
}

function savePackets(base64: string, name: string): void {
  const bytes = Uint8Array.from(atob(base64), (it) => it.charCodeAt(0))
  saveFile(new Blob([bytes], { type: 'application/vnd.tcpdump.pcap' }), name)
}
