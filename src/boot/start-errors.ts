// Describes in one sentence why a start failed.
import { describeFileError } from '../cli/file-errors.ts'
import { BundledPostgresError } from '../store/database/bundled-postgres.ts'
import { SchemaError } from '../store/database/migrations.ts'

export function describeStartFailure(error: unknown): string {
  if (error instanceof StartError || error instanceof SchemaError || error instanceof BundledPostgresError)
    return error.message
  const ofFile = describeFileError(error)
  if (ofFile !== null) return ofFile
  const { code, address, port } = error as { code?: unknown; address?: unknown; port?: unknown }
  const where = `Port ${port} of ${address}`
  switch (code) {
    case 'EADDRINUSE':
      return `${where} is in use; choose another with PORT.`
    case 'EACCES':
      return `${where} requires more privileges.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `HOST is not an address of this machine (${errorMessage(error)}).`
    // PostgreSQL: insufficient privilege, or no schema to create tables in.
    case '42501':
    case '3F000':
      return `The role of DATABASE_URL lacks a privilege (${errorMessage(error)}); make it the owner of the database, or grant it all on schema public.`
    default:
      return `Hulaki could not start: ${errorMessage(error)}.`
  }
}

export class StartError extends Error {}

export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // An error of several failed connection attempts has a code and no message.
  return error.message || ('code' in error ? String(error.code) : error.name)
}
