// Errors of the bundled PostgreSQL.

/** The message is one sentence for the person who starts the service. */
export class BundledPostgresError extends Error {
  override name = 'BundledPostgresError'
}

/** The code of an error of the system or the database. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
