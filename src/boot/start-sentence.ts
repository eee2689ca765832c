// Whatever made a start fail, as one sentence for a person.
import { BundledPostgresFault } from '../store/database/bundled-postgres.ts'
import { SchemaFault } from '../store/database/migrate.ts'

export function sentenceOf(fault: unknown): string {
  if (fault instanceof StartFault || fault instanceof SchemaFault || fault instanceof BundledPostgresFault)
    return fault.message
  const { code, address, port } = fault as { code?: unknown; address?: unknown; port?: unknown }
  const where = `Port ${port} of ${address}`
  switch (code) {
    case 'EADDRINUSE':
      return `${where} is taken by another program; choose another with PORT.`
    case 'EACCES':
      return port === undefined ? `A file is closed to this user (${reason(fault)}).` : `${where} is not for this user.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `HOST is no address of this machine (${reason(fault)}).`
    case 'ENOENT':
      return `A file is missing (${reason(fault)}).`
    // PostgreSQL's own: a right is missing, or no schema is open.
    case '42501':
    case '3F000':
      return `The role of DATABASE_URL lacks a right (${reason(fault)}); make it the owner of the database, or grant it all on schema public.`
    default:
      return `Hulaki could not start: ${reason(fault)}.`
  }
}

/** The service cannot start; the message is one sentence. */
export class StartFault extends Error {}

export function reason(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  // Several addresses were tried and none answered: that has a code, but no words.
  return fault.message || ('code' in fault ? String(fault.code) : fault.name)
}
