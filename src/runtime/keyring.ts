// The keys outside the database (D20, D21) for OTPs, sealed texts and stored secrets.
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import type { Random } from './random.ts'

export type KeyPurpose = 'codes' | 'texts' | 'secrets'
const KEY_PURPOSES: readonly KeyPurpose[] = ['codes', 'texts', 'secrets']

interface KeySet {
  active: string
  keys: Record<string, Buffer>
}

const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

export class Keyring {
  readonly #sets: Record<KeyPurpose, KeySet>
  readonly #random: Random

  constructor(sets: Record<KeyPurpose, KeySet>, random: Random) {
    this.#sets = sets
    this.#random = random
  }

  activeKeyId(purpose: KeyPurpose): string {
    return this.#sets[purpose].active
  }

  /** HMAC-SHA-256: without the key, the database alone does not allow guessing the hashed value. */
  hash(purpose: KeyPurpose, parts: readonly string[], keyId = this.activeKeyId(purpose)): Buffer {
    const mac = createHmac('sha256', this.#key(purpose, keyId))
    // The length before each part makes different lists of parts hash differently.
    for (const part of parts) mac.update(`${Buffer.byteLength(part)}:${part}`)
    return mac.digest()
  }

  /** AES-256-GCM. `open` needs the same `context`, so a sealed value copied to another row does not open there. */
  seal(purpose: KeyPurpose, context: string, plain: string): Buffer {
    const keyId = this.activeKeyId(purpose)
    const iv = this.#random.bytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#key(purpose, keyId), iv).setAAD(Buffer.from(context))
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
    const head = Buffer.from(keyId)
    return Buffer.concat([Buffer.of(head.length), head, iv, cipher.getAuthTag(), sealed])
  }

  open(purpose: KeyPurpose, context: string, sealed: Buffer): string {
    const ivAt = 1 + (sealed[0] ?? 0)
    const tagAt = ivAt + IV_BYTES
    const textAt = tagAt + TAG_BYTES
    const key = this.#key(purpose, sealed.toString('utf8', 1, ivAt))
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(ivAt, tagAt), { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(tagAt, textAt))
    return Buffer.concat([decipher.update(sealed.subarray(textAt)), decipher.final()]).toString('utf8')
  }

  /** One value per key, stored in the database, that identifies the key without revealing it. */
  fingerprints(): { purpose: KeyPurpose; keyId: string; fingerprint: string }[] {
    return KEY_PURPOSES.flatMap((purpose) =>
      Object.keys(this.#sets[purpose].keys).map((keyId) => ({
        purpose,
        keyId,
        fingerprint: this.hash(purpose, ['fingerprint'], keyId).toString('hex').slice(0, 16),
      })),
    )
  }

  #key(purpose: KeyPurpose, keyId: string): Buffer {
    const key = this.#sets[purpose].keys[keyId]
    if (!key) throw new Error(`the keyring has no key '${keyId}' for ${purpose}`)
    return key
  }
}

export function newKeyringText(random: Random): string {
  const set = () => ({ active: 'k1', keys: { k1: random.bytes(KEY_BYTES).toString('base64') } })
  return `${JSON.stringify({ codes: set(), texts: set(), secrets: set() }, null, 2)}\n`
}

/** A sealed value begins with the length of the key id in one byte. */
const KEY_ID = /^[\x21-\x7e]{1,100}$/

export function parseKeyring(text: string, random: Random): Keyring {
  const parsed = parseJson(text) as Record<string, { active?: unknown; keys?: Record<string, unknown> } | undefined>
  const sets = {} as Record<KeyPurpose, KeySet>
  for (const purpose of KEY_PURPOSES) {
    const { active, keys } = parsed?.[purpose] ?? {}
    if (typeof active !== 'string' || typeof keys?.[active] !== 'string') {
      throw new Error(`the keyring has no active key for ${purpose}`)
    }
    const bytes = Object.entries(keys).map(([keyId, key]) => [keyId, Buffer.from(String(key), 'base64')] as const)
    const short = bytes.find(([keyId, key]) => key.length !== KEY_BYTES || !KEY_ID.test(keyId))
    if (short) {
      const wrong = `the key '${short[0]}' for ${purpose} in the keyring`
      throw new Error(`${wrong} is not ${KEY_BYTES} bytes of base64 under a name of 1 to 100 plain characters`)
    }
    sets[purpose] = { active, keys: Object.fromEntries(bytes) }
  }
  return new Keyring(sets, random)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('the keyring is not JSON')
  }
}
