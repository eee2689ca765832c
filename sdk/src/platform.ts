// What platforms offer by one name but for Node 18, which keeps it in a module.

export async function webCrypto(): Promise<Crypto> {
  if (globalThis.crypto) return globalThis.crypto
  const name = 'node:crypto'
  return ((await import(name)) as { webcrypto: Crypto }).webcrypto
}

/** 122 bits of chance: nobody else has it. */
export async function randomKey(): Promise<string> {
  return (await webCrypto()).randomUUID()
}
