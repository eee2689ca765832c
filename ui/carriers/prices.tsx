// The prices of a carrier by prefix (D61). A new list replaces all of them, since carriers send whole lists.
import { useState } from 'preact/hooks'
import type { CarrierPrices } from '../api/calls.ts'
import { useAction, useCall } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { count, money } from '../parts/format.ts'
import { LinedField } from '../parts/lined-field.tsx'
import { Moment } from '../parts/moment.tsx'
import { SectionHead } from '../parts/page.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { words } from '../words/index.ts'
import css from './carriers.module.css'
import { errorsByLine, readPrices, writePrices } from './price-list.ts'

/** The number of prices before a click on Load more. */
const FIRST_SHOWN = 50

export function Prices({ carrierId: id }: { carrierId: string }) {
  const input = { params: { id } }
  const { data, error } = useCall('getCarrierPrices', input)
  const [shown, setShown] = useState(FIRST_SHOWN)
  const [isReplacing, setReplacing] = useState(false)
  const rows = data?.prices
  if (!data && !error) return <Waiting />
  return (
    <section class="stack">
      <SectionHead
        title={words.prices.title}
        note={
          data?.currency && (
            <>
              {words.prices.about(count(data.prices.length), data.currency)}{' '}
              <Moment at={data.updatedAt} style="whole" />
            </>
          )
        }
      >
        <ApiButton of="getCarrierPrices" input={input} />
        {rows && rows.length > 0 && (
          <button type="button" onClick={() => setReplacing(true)}>
            {words.prices.replace}
          </button>
        )}
      </SectionHead>
      <Table
        caption={words.prices.title}
        columns={columns()}
        items={rows?.slice(0, shown)}
        keyOf={({ prefix }) => prefix}
        error={error}
        more={rows && rows.length > shown ? () => setShown(rows.length) : null}
        empty={
          <>
            <p>{words.prices.none}</p>
            <p>
              <button type="button" class="primary" onClick={() => setReplacing(true)}>
                {words.prices.add}
              </button>
            </p>
          </>
        }
      />
      {data && isReplacing && <ReplacePrices carrierId={id} current={data} close={() => setReplacing(false)} />}
    </section>
  )
}

type Price = CarrierPrices['prices'][number]

const columns = (): Column<Price>[] => [
  {
    head: words.common.prefix,
    cell: ({ prefix }) =>
      prefix === '' ? <span class="quiet">{words.prices.allNumbers}</span> : <span class="mono">{prefix}</span>,
    wide: true,
  },
  { head: words.prices.perSegment, cell: ({ price }) => money(price), right: true },
]

interface ReplaceProps {
  carrierId: string
  current: CarrierPrices
  close: () => void
}

function ReplacePrices({ carrierId: id, current, close }: ReplaceProps) {
  const [currency, setCurrency] = useState(current.currency ?? '')
  const [text, setText] = useState(() => writePrices(current.prices))
  const [isSubmitted, setSubmitted] = useState(false)
  const put = useAction('putCarrierPrices', ['getCarrierPrices'])
  const { prices, lines, errors } = readPrices(text)
  const lineErrors = isSubmitted ? [...errors, ...errorsByLine(put.error, lines)] : []
  const submit = () => {
    setSubmitted(true)
    if (errors.length > 0) return
    const body = { currency: currency.trim().toUpperCase(), prices }
    put.mutate({ params: { id }, body }, { onSuccess: close })
  }
  const edit = (next: string) => {
    setText(next)
    setSubmitted(false)
    put.reset()
  }
  return (
    <Dialog title={words.prices.replace} close={close}>
      <p>{words.prices.replaceMeans}</p>
      <Form
        submitLabel={words.prices.replaceAct(count(prices.length))}
        submit={submit}
        mutation={{ ...put, error: lineErrors.length > 0 && put.error?.code === 'invalid_request' ? null : put.error }}
        fields={['currency']}
        cancel={close}
      >
        <TextField
          label={words.workspaces.currency}
          hint={words.prices.currencyHint}
          value={currency}
          set={setCurrency}
          error={put.error?.of('currency')}
          maxLength={3}
        />
        <LinedField label={words.prices.csv} hint={words.prices.csvHint} value={text} set={edit} errors={lineErrors} />
        <label class={css.file}>
          <span>{words.prices.file}</span>
          <input
            type="file"
            accept=".csv,.txt,text/csv,text/plain"
            onChange={(event) => {
              const [file] = event.currentTarget.files ?? []
              if (file) inBackground(file.text().then(edit))
            }}
          />
        </label>
      </Form>
    </Dialog>
  )
}
