// The values of a chart as a table, for screen readers.

interface Props {
  title: string
  heads: readonly string[]
  /** A row has a value for each head. */
  rows: readonly { name: string; values: readonly number[] }[]
  write: (value: number) => string
}

/** The hidden box keeps the table from widening the page. */
export function ChartTable({ title, heads, rows, write }: Props) {
  return (
    <div class="hidden">
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <td />
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, values }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {heads.map((head, at) => (
                <td key={head}>{write(values[at] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
