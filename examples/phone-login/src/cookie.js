// A cookie that only this server can have written: a value, a dot, and their HMAC. No script reads it, and no other site's form sends it.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** What is remembered under it is gone with the process, so its key may be too. */
const key = randomBytes(32)

/** Nobody guesses it. */
export function newId() {
  return randomBytes(32).toString('base64url')
}

export class SignedCookie {
  #name
  #attributes

  /** @param {{ name: string, maxAgeSeconds: number, isSecure: boolean }} options */
  constructor({ name, maxAgeSeconds, isSecure }) {
    // Browsers keep what begins with __Host- to https, to this host, and away from its subdomains.
    this.#name = isSecure ? `__Host-${name}` : name
    this.#attributes = `; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`
  }

  /**
   * For the header Set-Cookie.
   * @param {string} value
   */
  write(value) {
    return `${this.#name}=${value}.${this.#sign(value)}${this.#attributes}`
  }

  /** For the header Set-Cookie: the browser forgets it. */
  clear() {
    return `${this.#name}=${this.#attributes.replace(/Max-Age=\d+/, 'Max-Age=0')}`
  }

  /**
   * The value, where we signed it.
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
