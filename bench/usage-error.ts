// Errors of the caller of `npm run bench`.

/** The message is one sentence for the caller, without a stack trace. */
export class UsageError extends Error {}

export function listValid(problem: string, valid: readonly string[]): UsageError {
  return new UsageError(`${problem}; use ${valid.join(', ')}.`)
}
