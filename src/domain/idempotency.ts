// Idempotency (§8.3, D25): what makes two requests the same one.

/** A replay is safe for 24 hours from the first answer. */
export const IDEMPOTENCY_SECONDS = 86_400

/** Printable ASCII, 1 to 200 characters (§4). */
export const IDEMPOTENCY_KEY_PATTERN = /^[\x20-\x7e]{1,200}$/

/** A validated body in canonical form: the order of keys does not matter, everything else does. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}
