// The key of a request that must take effect once, however often it is repeated (D25). crypto.randomUUID needs HTTPS.
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (it) => it.toString(16).padStart(2, '0')).join('')
}
