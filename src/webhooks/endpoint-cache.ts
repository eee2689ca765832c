// The endpoints of clients as last read. They are read again after 50 ms, so that changes of URL, secrets and state take effect.
import type { Ports } from '../actions/ports.ts'
import { loadEndpoints, type WebhookEndpoint } from '../actions/webhooks/claim-deliveries.ts'

const FRESH_MS = 50

export class EndpointCache {
  readonly #ports: Ports
  /** By client; null if the client does not exist. */
  readonly #endpoints = new Map<string, { endpoint: WebhookEndpoint | null; freshUntil: number }>()

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** Null if the client does not exist. */
  get(clientId: string): WebhookEndpoint | null {
    return this.#endpoints.get(clientId)?.endpoint ?? null
  }

  /** Only a fresh endpoint may be used. */
  isFresh(clientId: string): boolean {
    const cached = this.#endpoints.get(clientId)
    return cached !== undefined && cached.freshUntil >= performance.now()
  }

  /** Until they are read, these endpoints are not fresh. */
  async read(clientIds: ReadonlySet<string>): Promise<void> {
    for (const id of clientIds) this.#endpoints.delete(id)
    const endpoints = await loadEndpoints(this.#ports, [...clientIds])
    const freshUntil = performance.now() + FRESH_MS
    for (const id of clientIds) this.#endpoints.set(id, { endpoint: endpoints.get(id) ?? null, freshUntil })
  }

  clear(): void {
    this.#endpoints.clear()
  }
}
