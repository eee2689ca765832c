// A table of rows, page by page. j and k move between rows, Enter opens the focused row: as its own screen, or in place.
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { ApiError } from '../api/api-error.ts'
import { words } from '../words/index.ts'
import { ErrorNote } from './error-note.tsx'
import { Icon } from './icon.tsx'
import { useKeys } from './keys.ts'
import type { Selection } from './selection.ts'
import css from './table.module.css'

export interface Column<Row> {
  head: string
  cell: (row: Row) => ComponentChildren
  /** Right-aligned, for figures. */
  right?: boolean
  /** Hidden on small screens. */
  secondary?: boolean
  /** Its place where a row folds to two lines: the first line or the second, at the start or at the end. Others are below, or hidden. */
  fold?: 'first' | 'firstEnd' | 'second' | 'secondEnd'
  /** Takes the remaining width, and is cut off where it is too long. */
  wide?: boolean
  /** The value to sort by. Only a list that is loaded completely is sorted. */
  sortBy?: (row: Row) => string | number
}

interface Unfold<Row> {
  /** The key of the open row. */
  open: string
  set: (open: string) => void
  details: (row: Row) => ComponentChildren
}

/** Rows that can be selected, by their keys. */
interface Selectable<Row> {
  selection: Selection
  /** Names a row for screen readers. */
  nameOf: (row: Row) => string
}

interface Props<Row> {
  caption: string
  columns: readonly Column<Row>[]
  /** Undefined while it loads. */
  items: readonly Row[] | undefined
  keyOf: (row: Row) => string
  /** The link of a row, in its first cell. */
  hrefOf?: (row: Row) => string
  /** Rows that open in place. */
  unfold?: Unfold<Row> | undefined
  selectable?: Selectable<Row> | undefined
  error?: ApiError | null
  more?: (() => void) | null
  empty?: ComponentChildren
}

const WAITING_ROWS = 12

export function Table<Row>(props: Props<Row>) {
  const { caption, columns, items, keyOf, hrefOf, unfold, selectable, error, more, empty } = props
  // Moves over the rows of all tables of the screen, in the order of the page.
  const go = (step: number) => {
    const links = [...document.querySelectorAll<HTMLElement>('[data-row]')]
    const here = document.activeElement?.closest('tr')
    const at = links.findIndex((link) => here?.contains(link))
    links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus()
  }
  const [order, setOrder] = useState<Order | null>(null)
  const isSortable = items !== undefined && items.length > 1 && !more
  const rows = isSortable && items ? sorted(items, columns, order) : items
  useKeys({
    ...((hrefOf || unfold) && { j: [words.keys.next, () => go(1)], k: [words.keys.previous, () => go(-1)] }),
    ...(selectable && selectionKeys(selectable.selection)),
  })
  if (error && !items) return <ErrorNote error={error} />
  if (items?.length === 0 && empty && !more) return <div class={`card stack ${css.empty}`}>{empty}</div>
  return (
    <div class={css.frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class={css.scroll} aria-label={caption} tabIndex={0}>
        <table class={css.table} aria-busy={items === undefined}>
          <caption class="hidden">{caption}</caption>
          <thead>
            <tr class={items === undefined ? css.unsized : undefined}>
              {selectable && <SelectAll selection={selectable.selection} rows={rows?.map(keyOf) ?? []} />}
              {columns.map((column) => (
                <Head
                  key={column.head}
                  column={column}
                  order={order?.by === column.head ? order : null}
                  set={isSortable && column.sortBy ? setOrder : null}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows?.map((row) => (
              <TableRow
                key={keyOf(row)}
                row={row}
                id={keyOf(row)}
                columns={columns}
                href={hrefOf?.(row)}
                unfold={unfold}
                selectable={selectable}
              />
            ))}
            {items === undefined &&
              Array.from({ length: WAITING_ROWS }, (_, index) => (
                <WaitingRow key={index} columns={columns} hasCheckbox={selectable !== undefined} />
              ))}
          </tbody>
        </table>
      </section>
      {items?.length === 0 && <p class={`quiet ${css.more}`}>{words.parts.noResults}</p>}
      {items && more && (
        <p class={css.more}>
          <button type="button" onClick={more}>
            {words.parts.loadMore}
          </button>
        </p>
      )}
    </div>
  )
}

interface Order {
  /** The head of the column. */
  by: string
  isDescending: boolean
}

/** The second click reverses the order, the third one restores the order of the list. */
function nextOrder(by: string, order: Order | null): Order | null {
  if (!order) return { by, isDescending: false }
  return order.isDescending ? null : { by, isDescending: true }
}

function sorted<Row>(items: readonly Row[], columns: readonly Column<Row>[], order: Order | null) {
  const sortBy = order && columns.find(({ head }) => head === order.by)?.sortBy
  if (!sortBy) return items
  const sign = order.isDescending ? -1 : 1
  return items.toSorted((one, other) => sign * compare(sortBy(one), sortBy(other)))
}

function compare(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return String(one).localeCompare(String(other), undefined, { numeric: true, sensitivity: 'base' })
}

interface HeadProps<Row> {
  column: Column<Row>
  /** The order, if it is by this column. */
  order: Order | null
  set: ((order: Order | null) => void) | null
}

function Head<Row>({ column, order, set }: HeadProps<Row>) {
  const { head } = column
  const direction = order ? (order.isDescending ? 'descending' : 'ascending') : undefined
  return (
    <th scope="col" class={classOf(column)} aria-sort={direction}>
      {set ? (
        <button type="button" class={`plain ${css.sort}`} onClick={() => set(nextOrder(head, order))}>
          {head}
          {order && <Icon name={order.isDescending ? 'down' : 'up'} />}
        </button>
      ) : (
        head
      )}
    </th>
  )
}

/** The row with the focus, which its link or its checkbox may have. */
function selectionKeys({ toggle }: Selection) {
  const act = (isRange: boolean) => () => {
    const { rowId } = document.activeElement?.closest('tr')?.dataset ?? {}
    if (rowId) toggle(rowId, isRange)
  }
  return { x: [words.keys.select, act(false)], X: [words.keys.selectRange, act(true)] } as const
}

function SelectAll({ selection: { ids, togglePage }, rows }: { selection: Selection; rows: readonly string[] }) {
  const selected = rows.filter((id) => ids.has(id)).length
  return (
    <th scope="col" class={css.check}>
      <label>
        <input
          type="checkbox"
          aria-label={words.parts.selectAllRows}
          checked={rows.length > 0 && selected === rows.length}
          indeterminate={selected > 0 && selected < rows.length}
          onChange={togglePage}
        />
      </label>
    </th>
  )
}

function SelectRow({ id, name, selection: { ids, toggle } }: { id: string; name: string; selection: Selection }) {
  const isRange = useRef(false)
  return (
    <td class={css.check}>
      <label
        onPointerDown={(event) => {
          isRange.current = event.shiftKey
        }}
      >
        <input
          type="checkbox"
          aria-label={words.parts.selectRow(name)}
          checked={ids.has(id)}
          onChange={() => {
            toggle(id, isRange.current)
            isRange.current = false
          }}
        />
      </label>
    </td>
  )
}

interface RowProps<Row> extends Pick<Props<Row>, 'columns' | 'unfold' | 'selectable'> {
  row: Row
  id: string
  href: string | undefined
}

function TableRow<Row>({ row, id, columns, href, unfold, selectable }: RowProps<Row>) {
  const isOpen = unfold?.open === id
  const isSelected = selectable?.selection.ids.has(id) ?? false
  const canOpen = href !== undefined || unfold !== undefined
  const style = [foldOf(columns), canOpen && css.opens, isOpen && css.unfolded, isSelected && css.selected]
  return (
    <>
      <tr class={style.filter(Boolean).join(' ')} data-row-id={id}>
        {selectable && <SelectRow id={id} name={selectable.nameOf(row)} selection={selectable.selection} />}
        {columns.map((column, index) => (
          <td key={column.head} class={classOf(column)} data-head={column.right ? column.head : undefined}>
            {index === 0 && href !== undefined ? (
              <Link href={href} class={css.open} data-row>
                {column.cell(row)}
              </Link>
            ) : index === 0 && unfold ? (
              <button
                type="button"
                class={`plain ${css.open}`}
                data-row
                aria-expanded={isOpen}
                onClick={() => unfold.set(isOpen ? '' : id)}
              >
                <Icon name={isOpen ? 'down' : 'right'} />
                {column.cell(row)}
              </button>
            ) : (
              column.cell(row)
            )}
          </td>
        ))}
      </tr>
      {isOpen && (
        <tr class={css.details}>
          <td colSpan={columns.length + (selectable ? 1 : 0)}>{unfold.details(row)}</td>
        </tr>
      )}
    </>
  )
}

function WaitingRow<Row>({ columns, hasCheckbox }: Pick<Props<Row>, 'columns'> & { hasCheckbox: boolean }) {
  return (
    <tr aria-hidden="true" class={foldOf(columns)}>
      {hasCheckbox && <td class={css.check} />}
      {columns.map((column) => (
        <td key={column.head} class={classOf(column)}>
          <span class={css.waiting} />
        </td>
      ))}
    </tr>
  )
}

function classOf<Row>({ right, secondary, wide, fold }: Column<Row>): string {
  return [right && 'right', secondary && css.secondary, wide && css.wide, fold && css[fold]].filter(Boolean).join(' ')
}

function foldOf<Row>(columns: readonly Column<Row>[]): string | undefined {
  return columns.some(({ fold }) => fold) ? css.folds : undefined
}
