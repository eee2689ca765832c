// A table of rows, page by page. j and k move between rows, Enter opens the focused row.
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import type { ApiError } from '../api/api-error.ts'
import { words } from '../words/index.ts'
import { ErrorNote } from './error-note.tsx'
import { useKeys } from './keys.tsx'
import css from './table.module.css'

export interface Column<Row> {
  head: string
  cell: (row: Row) => ComponentChildren
  /** Right-aligned, for figures. */
  right?: boolean
  /** Hidden on small screens. */
  secondary?: boolean
  /** Takes the remaining width, and is cut off where it is too long. */
  wide?: boolean
}

interface Props<Row> {
  caption: string
  columns: readonly Column<Row>[]
  /** Undefined while it loads. */
  items: readonly Row[] | undefined
  keyOf: (row: Row) => string
  /** The link of a row, in its first cell. */
  hrefOf?: (row: Row) => string
  error?: ApiError | null
  more?: (() => void) | null
  empty?: ComponentChildren
}

const WAITING_ROWS = 12

export function Table<Row>({ caption, columns, items, keyOf, hrefOf, error, more, empty }: Props<Row>) {
  // Moves over the rows of all tables of the screen, in the order of the page.
  const go = (step: number) => {
    const links = [...document.querySelectorAll<HTMLAnchorElement>('a[data-row]')]
    const at = links.indexOf(document.activeElement as HTMLAnchorElement)
    links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus()
  }
  useKeys(hrefOf ? { j: [words.keys.next, () => go(1)], k: [words.keys.previous, () => go(-1)] } : {})
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
              {columns.map((column) => (
                <th key={column.head} scope="col" class={classOf(column)}>
                  {column.head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items?.map((row) => (
              <TableRow key={keyOf(row)} row={row} columns={columns} href={hrefOf?.(row)} />
            ))}
            {items === undefined &&
              Array.from({ length: WAITING_ROWS }, (_, index) => <WaitingRow key={index} columns={columns} />)}
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

interface RowProps<Row> extends Pick<Props<Row>, 'columns'> {
  row: Row
  href: string | undefined
}

function TableRow<Row>({ row, columns, href }: RowProps<Row>) {
  return (
    <tr class={href === undefined ? undefined : css.opens}>
      {columns.map((column, index) => (
        <td key={column.head} class={classOf(column)}>
          {index === 0 && href !== undefined ? (
            <Link href={href} class={css.open} data-row>
              {column.cell(row)}
            </Link>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
  )
}

function WaitingRow<Row>({ columns }: Pick<Props<Row>, 'columns'>) {
  return (
    <tr aria-hidden="true">
      {columns.map((column) => (
        <td key={column.head} class={classOf(column)}>
          <span class={css.waiting} />
        </td>
      ))}
    </tr>
  )
}

function classOf<Row>({ right, secondary, wide }: Column<Row>): string {
  return [right && 'right', secondary && css.secondary, wide && css.wide].filter(Boolean).join(' ')
}
