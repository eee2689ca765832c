// A database on several hosts, of which one accepts writes: new connections go to the host that accepted the last one, or to the next.
import pg from 'pg'

export type DatabaseAddress = string | { host: string; port: number; user: string; password: string; database: string }

/** The user and password, the hosts, and the rest from the path on. */
const URL_PARTS = /^(\w+:\/\/(?:[^/?]*@)?)([^/?]*)(.*)$/s

/** One URL for each host of a URL. */
export function urlsOf(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = URL_PARTS.exec(url) ?? []
  return hosts.includes(',') ? hosts.split(',').map((host) => `${before}${host}${after}`) : [url]
}

const CONNECT_MS = 10_000
/** A host that is down must not use up the time in which another one can answer. */
const CONNECT_OF_SEVERAL_MS = 3_000

/** A host that accepts a connection and then freezes has as long to answer as a connection attempt. */
const IS_STANDBY = { text: 'select pg_is_in_recovery() as "isStandby"', query_timeout: CONNECT_OF_SEVERAL_MS }

/** As the driver calls back. */
type Connected = [error: Error] | [error: null, client: pg.Client]

/** By this name, `move` and `restore` recognise the sessions of a running service. Those of a pooler outlive the service. */
export const SERVICE_NAME = 'hulaki'
export const POOLED_NAME = 'hulaki through a pooler'

export class Hosts {
  readonly #targets: readonly pg.ClientConfig[]
  readonly #applicationName: string
  /** The host of each connection. */
  readonly #hostOf = new WeakMap<pg.ClientBase, number>()
  #current = 0

  constructor(address: DatabaseAddress, applicationName = SERVICE_NAME) {
    this.#applicationName = applicationName
    this.#targets =
      typeof address === 'string' ? urlsOf(address).map((connectionString) => ({ connectionString })) : [address]
  }

  get #areSeveral(): boolean {
    return this.#targets.length > 1
  }

  /** The class of connections: each new one goes to the host that is current then. */
  get Client(): new () => pg.Client {
    const current = () => this.#current
    const configOf = (host: number) => this.#configOf(host)
    const remember = (client: pg.ClientBase, host: number) => this.#hostOf.set(client, host)
    const leave = (client: pg.ClientBase) => this.#leaveHostOf(client)
    return class extends pg.Client {
      constructor() {
        const host = current()
        super(configOf(host))
        remember(this, host)
      }

      override connect(): Promise<pg.Client>
      override connect(callback: (...result: Connected) => void): void
      override connect(callback?: (...result: Connected) => void): Promise<pg.Client> | undefined {
        const connected = Promise.withResolvers<pg.Client>()
        super.connect((...result: Connected) => {
          const [error] = result
          if (error) leave(this)
          if (callback) callback(...result)
          else if (error) connected.reject(error)
          else connected.resolve(this)
        })
        return callback ? undefined : connected.promise
      }
    }
  }

  /** Options of a pool. One host needs no check: a standby rejects the first write. */
  get poolOptions(): pg.PoolConfig {
    const verify = (client: pg.PoolClient, done: (error?: Error) => void) => {
      this.requirePrimary(client).then(() => done(), done)
    }
    return {
      connectionTimeoutMillis: CONNECT_MS,
      Client: this.Client,
      ...(this.#areSeveral && { verify }),
    }
  }

  /** Repeats the attempt while it makes another host the current one, up to once per host. */
  async connect<Connection>(attempt: () => Promise<Connection>): Promise<Connection> {
    for (let attempts = 1; ; attempts += 1) {
      const tried = this.#current
      try {
        return await attempt()
      } catch (error) {
        if (attempts >= this.#targets.length || tried === this.#current) throw error
      }
    }
  }

  /** Throws if the host of this connection is a standby. */
  async requirePrimary(client: pg.ClientBase): Promise<void> {
    if (!this.#areSeveral) return
    try {
      const { rows } = await client.query<{ isStandby: boolean }>(IS_STANDBY)
      if (rows[0]?.isStandby !== false) throw new Error('the database host is a standby')
    } catch (error) {
      this.#leaveHostOf(client)
      throw error
    }
  }

  /** Many connections to a host fail at once: only the first of them makes the next host the current one. */
  #leaveHostOf(client: pg.ClientBase): void {
    const host = this.#hostOf.get(client)
    if (host === this.#current) this.#current = (host + 1) % this.#targets.length
  }

  #configOf(host: number): pg.ClientConfig {
    return {
      ...this.#targets[host],
      connectionTimeoutMillis: this.#areSeveral ? CONNECT_OF_SEVERAL_MS : CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      application_name: this.#applicationName,
      pipeline: true,
    }
  }
}
