// Leases: a process that is gone has not said so, and its last word still stands in the table. What it held tells by its time.

export function isLeased(until: Date | null, now: Date): boolean {
  return until !== null && until > now
}
