// Web Crypto, which Node 18 has only in a module.

export async function webCrypto(): Promise<Crypto> {
  if (globalThis.crypto) return globalThis.crypto
  const name = 'node:crypto'
  return ((await import(name)) as { webcrypto: Crypto }).webcrypto
}

/** Has 122 random bits. */
export async function randomKey(): Promise<string> {
  return (await webCrypto()).randomUUID()
}
