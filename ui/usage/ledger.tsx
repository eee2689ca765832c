// The entries of the ledger, filtered by type and days.
import { Link, useRouter } from 'wouter-preact'
import { addressOf } from '../api/address.ts'
import type { LedgerEntry } from '../api/calls.ts'
import { useList } from '../api/use.ts'
import { useWorkspace } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { DateFilter, FilterBar, FilterMenu } from '../parts/filters.tsx'
import { capitalize, count, money, shortId } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Moment } from '../parts/moment.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'

type Kind = LedgerEntry['kind']
const KINDS: readonly Kind[] = ['topUp', 'grant', 'reservation', 'refund', 'expiry']

export function Ledger() {
  const { id } = useWorkspace()
  const { base } = useRouter()
  const [chosen, choose] = useUrlState({ kind: [], from: '', to: '' })
  const kind = KINDS.filter((it) => chosen.kind.includes(it))
  const dates = { ...(chosen.from && { from: chosen.from }), ...(chosen.to && { to: chosen.to }) }
  const input = { params: { id }, query: { kind, ...dates } }
  const list = useList('listLedger', input)
  const { from, to } = chosen
  const chips = [
    {
      label: words.usage.kind,
      value: kind.map((it) => capitalize(words.usage.kinds[it])).join(', '),
      remove: () => choose({ kind: [] }),
    },
    { label: words.parts.date, value: from || to ? `${from} – ${to}` : '', remove: () => choose({ from: '', to: '' }) },
  ]
  return (
    <>
      <FilterBar
        chosen={chips.filter(({ value }) => value)}
        clear={() => choose({ kind: [], from: '', to: '' })}
        last={
          <span class="row push">
            <a class="button" href={addressOf('exportLedger', { params: { id }, query: dates })} download>
              <Icon name="download" />
              {words.messages.export}
            </a>
            <ApiButton of="listLedger" input={input} />
          </span>
        }
      >
        <FilterMenu
          label={words.usage.kind}
          of={KINDS.map((it) => [it, words.usage.kinds[it]] as const)}
          chosen={chosen.kind}
          set={(kinds) => choose({ kind: kinds })}
        />
        <DateFilter from={chosen.from} to={chosen.to} set={choose} />
      </FilterBar>
      <Table
        {...list}
        caption={words.usage.ledger}
        columns={columns(base)}
        keyOf={(it) => it.id}
        empty={<p>{words.common.noEntries}</p>}
      />
    </>
  )
}

const columns = (base: string): Column<LedgerEntry>[] => [
  { head: words.usage.date, cell: ({ at }) => <Moment at={at} style="whole" />, fold: 'second' },
  { head: words.usage.kind, cell: ({ kind }) => capitalize(words.usage.kinds[kind]), fold: 'first' },
  { head: words.usage.amount, cell: (it) => signed(it), right: true, fold: 'firstEnd' },
  { head: words.usage.balance, cell: ({ balance }) => money(balance), right: true, secondary: true },
  { head: words.usage.description, cell: (it) => <Description {...it} base={base} />, wide: true, secondary: true },
]

function signed({ kind, amount }: LedgerEntry): string {
  return money(kind === 'reservation' || kind === 'expiry' ? -amount : amount)
}

function Description({ messages, messageId, note, expiresAt, base }: LedgerEntry & { base: string }) {
  if (messageId !== null)
    return (
      <Link href={`~${base}/messages/${messageId}`} class="mono">
        {shortId(messageId)}
      </Link>
    )
  if (messages !== null) return <span class="quiet">{words.usage.messagesOf(messages, count(messages))}</span>
  return (
    <>
      {note !== null && <span class="foreign">{note} </span>}
      {expiresAt !== null && (
        <span class="quiet">
          {words.usage.expires} <Moment at={expiresAt} style="day" />
        </span>
      )}
    </>
  )
}
