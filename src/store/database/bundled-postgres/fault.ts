// Faults of the bundled PostgreSQL.

/** Why the bundled PostgreSQL cannot be used: one sentence for the person who starts the service. */
export class BundledPostgresFault extends Error {
  override name = 'BundledPostgresFault'
}

/** The code of a system's or a database's error. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
