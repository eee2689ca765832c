// Describes in one sentence why a start failed.
import { BundledPostgresFault } from '../store/database/bundled-postgres.ts'
import { SchemaFault } from '../store/database/migrate.ts'

export function describeStartFailure(fault: unknown): string {
  if (fault instanceof StartFault || fault instanceof SchemaFault || fault instanceof BundledPostgresFault)
    return fault.message
  const { code, address, port } = fault as { code?: unknown; address?: unknown; port?: unknown }
  const where = `Port ${port} of ${address}`
  switch (code) {
    case 'EADDRINUSE':
      return `${where} is in use; choose another with PORT.`
    case 'EACCES':
      return port === undefined
        ? `A file is not accessible (${errorMessage(fault)}).`
        : `${where} requires more privileges.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `HOST is not an address of this machine (${errorMessage(fault)}).`
    case 'ENOENT':
      return `A file is missing (${errorMessage(fault)}).`
    // PostgreSQL: insufficient privilege, or no schema to create tables in.
    case '42501':
    case '3F000':
      return `The role of DATABASE_URL lacks a privilege (${errorMessage(fault)}); make it the owner of the database, or grant it all on schema public.`
    default:
      return `Hulaki could not start: ${errorMessage(fault)}.`
  }
}

export class StartFault extends Error {}

export function errorMessage(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  // An error of several failed connection attempts has a code and no message.
  return fault.message || ('code' in fault ? String(fault.code) : fault.name)
}
