// A rate limit per address, in front of the limits of Hulaki. Many people share an address behind a router, so keep it generous.
import { Memory } from './memory.js'

export class Limiter {
  /** @type {Memory<{ count: number, began: number }>} */
  #windows
  #most
  #withinMs

  /** @param {{ most: number, withinMs: number }} rate */
  constructor({ most, withinMs }) {
    this.#most = most
    this.#withinMs = withinMs
    this.#windows = new Memory({ keepMs: withinMs, most: 10_000 })
  }

  /**
   * Counts a request and returns the seconds to wait, 0 for none.
   * @param {string} address
   */
  take(address) {
    const key = networkOf(address)
    const now = performance.now()
    const known = this.#windows.get(key)
    const window = known ?? { count: 0, began: now }
    if (known === null) this.#windows.set(key, window)
    window.count++
    return window.count <= this.#most ? 0 : Math.max(1, Math.ceil((window.began + this.#withinMs - now) / 1000))
  }
}

/**
 * An IPv6 user has a whole /64 network, so the network is counted.
 * @param {string} address
 */
export function networkOf(address) {
  if (!address.includes(':') || address.includes('.')) return address
  const [front = '', back] = address.split('::')
  const groups = front.split(':').filter((it) => it !== '')
  const behind = back === undefined ? [] : back.split(':').filter((it) => it !== '')
  const missing = back === undefined ? 0 : 8 - groups.length - behind.length
  return [...groups, ...Array(Math.max(0, missing)).fill('0'), ...behind].slice(0, 4).join(':')
}
