// A TOTP app and a software passkey (WebAuthn level 2) for tests.
import { createHash, createHmac, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

// biome-ignore lint/suspicious/noExplicitAny: options come as the service wrote them
type Options = any

const PRESENT_AND_VERIFIED = 0x05
const HAS_CREDENTIAL = 0x40

export class Authenticator {
  readonly #id = randomBytes(32)
  readonly #origin: string
  #key: KeyObject | null = null
  #counter = 0

  constructor(origin: string) {
    this.#origin = origin
  }

  create(options: Options): object {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#key = privateKey
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.#id.length)
    const cose = cbor(
      new Map<number, number | Buffer>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    )
    const credential = Buffer.concat([Buffer.alloc(16), length, this.#id, cose])
    const authData = Buffer.concat([this.#data(options.rp.id, PRESENT_AND_VERIFIED | HAS_CREDENTIAL), credential])
    const attestation = cbor(
      new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    )
    return this.#answer({
      clientDataJSON: this.#client('webauthn.create', options.challenge).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    })
  }

  get(options: Options, origin = this.#origin): object {
    if (!this.#key) throw new Error('no passkey')
    const client = this.#client('webauthn.get', options.challenge, origin)
    const data = this.#data(options.rpId, PRESENT_AND_VERIFIED)
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
    return this.#answer({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: createSign('sha256').update(signed).sign(this.#key).toString('base64url'),
    })
  }

  #answer(response: object): object {
    const id = this.#id.toString('base64url')
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }

  #client(type: string, challenge: string, origin = this.#origin): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  #data(site: string, flags: number): Buffer {
    this.#counter += 1
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.#counter)
    return Buffer.concat([createHash('sha256').update(site).digest(), Buffer.of(flags), counter])
  }
}

/** Computes a TOTP code from the secret. */
export function codeOf(secret: string, now: Date, stepsLater = 0): string {
  const bits = [...secret].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  const bytes = bits.join('').match(/.{8}/g) ?? []
  const key = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(now.getTime() / 30_000) + stepsLater))
  const mac = createHmac('sha1', key).update(counter).digest()
  return String((mac.readUInt32BE((mac[19] ?? 0) & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** The subset of RFC 8949 (CBOR) that a passkey needs. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Map) return Buffer.concat([head(5, value.size), ...[...value].flat().map(cbor)])
  throw new Error('unsupported CBOR value')
}

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.of((major << 5) | value)
  if (value < 256) return Buffer.of((major << 5) | 24, value)
  return Buffer.of((major << 5) | 25, value >> 8, value & 255)
}
