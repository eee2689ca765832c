// A signed cookie: a value, a dot, and its HMAC. Scripts cannot read it, and forms of other sites do not send it.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** A new key per process, because sessions are in memory too. */
const key = randomBytes(32)

/** 256 random bits. */
export function newId() {
  return randomBytes(32).toString('base64url')
}

export class SignedCookie {
  #name
  #attributes

  /** @param {{ name: string, maxAgeSeconds: number, isSecure: boolean }} options */
  constructor({ name, maxAgeSeconds, isSecure }) {
    // Browsers restrict a __Host- cookie to https and to exactly this host.
    this.#name = isSecure ? `__Host-${name}` : name
    this.#attributes = `; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`
  }

  /**
   * The value of a Set-Cookie header.
   * @param {string} value
   */
  write(value) {
    return `${this.#name}=${value}.${this.#sign(value)}${this.#attributes}`
  }

  /** The value of a Set-Cookie header that deletes the cookie. */
  clear() {
    return `${this.#name}=${this.#attributes.replace(/Max-Age=\d+/, 'Max-Age=0')}`
  }

  /**
   * The value, or null if the signature is invalid.
   * @param {string | undefined} header
   */
  read(header) {
    const pairs = (header ?? '').split(';').map((it) => it.trim())
    const found = pairs.find((it) => it.startsWith(`${this.#name}=`))?.slice(this.#name.length + 1) ?? ''
    const [value = '', signature = ''] = found.split('.')
    const expected = Buffer.from(this.#sign(value))
    const given = Buffer.from(signature)
    return given.length === expected.length && timingSafeEqual(given, expected) ? value : null
  }

  /** @param {string} value */
  #sign(value) {
    return createHmac('sha256', key).update(`${this.#name}=${value}`).digest('base64url')
  }
}
