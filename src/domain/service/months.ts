// Months in UTC: the size of a partition.

/** The beginning of the month `months` after that of `at`. */
export function startOfMonth(at: Date, months = 0): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months))
}
