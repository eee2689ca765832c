// Percentiles of measured times.

/** By nearest rank: the smallest time that at least this percentage of all times does not exceed. 0 without times. */
export function percentileOf(times: readonly number[], percent: number): number {
  const sorted = times.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil((percent * sorted.length) / 100) - 1)] ?? 0
}
