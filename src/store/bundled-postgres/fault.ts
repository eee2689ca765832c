/** Why the bundled PostgreSQL cannot be used: one sentence for the person who starts the service. */
export class BundledPostgresFault extends Error {
  override name = 'BundledPostgresFault'
}
