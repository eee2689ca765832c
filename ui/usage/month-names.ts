// The months of a workspace, the present one first.
const MOST = 120

export function monthsOf({ period, createdAt }: { period: string; createdAt: string }): string[] {
  const first = createdAt.slice(0, 7)
  const months = [period.slice(0, 7)]
  while (months.length < MOST && (months.at(-1) ?? '') > first) months.push(monthBefore(months.at(-1) ?? ''))
  return months
}

function monthBefore(month: string): string {
  const date = new Date(`${month}-01T00:00Z`)
  date.setUTCMonth(date.getUTCMonth() - 1)
  return date.toISOString().slice(0, 7)
}
