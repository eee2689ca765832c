// What a carrier charges, by the beginning of the number (D61): read by the page, replaced as a whole from what the carrier sent.
import { useState } from 'preact/hooks'
import type { CarrierPrices } from '../api/calls.ts'
import { useAct, useCall } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { Curl } from '../parts/curl.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { count, money } from '../parts/format.ts'
import { LinedField } from '../parts/lined-field.tsx'
import { Moment } from '../parts/moment.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { words } from '../words/index.ts'
import css from './carriers.module.css'
import { faultsByLine, readPrices, writePrices } from './price-list.ts'

/** More are shown when they are asked for. */
const SHOWN = 50

export function Prices({ carrierId: id }: { carrierId: string }) {
  const input = { params: { id } }
  const { data, error } = useCall('getCarrierPrices', input)
  const [shown, setShown] = useState(SHOWN)
  const [isReplacing, setReplacing] = useState(false)
  const rows = data?.prices
  return (
    <section class="stack">
      <div class="row">
        <h2>{words.prices.title}</h2>
        {data?.currency && (
          <span class="quiet">
            {words.prices.about(count(data.prices.length), data.currency)} <Moment at={data.updatedAt} style="whole" />
          </span>
        )}
        <span class="push">
          <Curl of="getCarrierPrices" input={input} />
        </span>
        <button type="button" onClick={() => setReplacing(true)} aria-disabled={!data}>
          {words.prices.replace}
        </button>
      </div>
      <Table
        caption={words.prices.title}
        columns={columns()}
        rows={rows?.slice(0, shown)}
        keyOf={({ prefix }) => prefix}
        fault={error}
        more={rows && rows.length > shown ? () => setShown(rows.length) : null}
        empty={<p>{words.prices.none}</p>}
      />
      {data && isReplacing && <Replace carrierId={id} before={data} close={() => setReplacing(false)} />}
    </section>
  )
}

type Price = CarrierPrices['prices'][number]

const columns = (): Column<Price>[] => [
  {
    head: words.prices.prefix,
    cell: ({ prefix }) =>
      prefix === '' ? <span class="quiet">{words.prices.allNumbers}</span> : <span class="mono">{prefix}</span>,
    wide: true,
  },
  { head: words.prices.perSegment, cell: ({ price }) => money(price), right: true },
]

interface ReplaceProps {
  carrierId: string
  before: CarrierPrices
  close: () => void
}

function Replace({ carrierId: id, before, close }: ReplaceProps) {
  const [currency, setCurrency] = useState(before.currency ?? '')
  const [text, setText] = useState(() => writePrices(before.prices))
  const [isJudged, setJudged] = useState(false)
  const put = useAct('putCarrierPrices', ['getCarrierPrices'])
  const { prices, lines, faults } = readPrices(text)
  const told = isJudged ? [...faults, ...faultsByLine(put.error, lines)] : []
  const submit = () => {
    setJudged(true)
    if (faults.length > 0) return
    const body = { currency: currency.trim().toUpperCase(), prices }
    put.mutate({ params: { id }, body }, { onSuccess: close })
  }
  const write = (next: string) => {
    setText(next)
    setJudged(false)
    put.reset()
  }
  return (
    <Dialog title={words.prices.replace} close={close}>
      <p>{words.prices.replaceMeans}</p>
      <Form
        act={words.prices.replaceAct(count(prices.length))}
        submit={submit}
        isBusy={put.isPending}
        fault={told.length > 0 && put.error?.code === 'invalid_request' ? null : put.error}
        fields={['currency']}
        cancel={close}
      >
        <TextField
          label={words.prices.currency}
          hint={words.prices.currencyHint}
          value={currency}
          set={setCurrency}
          wrong={put.error?.of('currency')}
          maxLength={3}
        />
        <LinedField label={words.prices.csv} hint={words.prices.csvHint} value={text} set={write} faults={told} />
        <label class={css.file}>
          <span>{words.prices.file}</span>
          <input
            type="file"
            accept=".csv,.txt,text/csv,text/plain"
            onChange={(event) => {
              const [file] = event.currentTarget.files ?? []
              if (file) inBackground(file.text().then(write))
            }}
          />
        </label>
      </Form>
    </Dialog>
  )
}
