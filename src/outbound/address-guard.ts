// Dials customer-supplied hosts, and checks their addresses at every connection (D31, D50).
import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { connect as connectPlain, isIP, type Socket, type TcpNetConnectOpts } from 'node:net'
import {
  type ConnectionOptions,
  connect,
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls'
import { addressWithoutDns, forbiddenKind, hostOf, type IsAllowedAddress } from '../domain/outbound-address.ts'
import type { DialEvents } from './dial-steps.ts'

export interface GuardSettings {
  isAllowed: IsAllowedAddress
  /** PEM certificates to trust in addition to Node's. */
  extraCa?: string | undefined
  /** Name servers as `address` or `address:port`; default: the system's. */
  nameServers?: string[] | undefined
}

/** The host was not dialled. The message is shown to the customer. */
export class DialError extends Error {}

interface Dial extends DialEvents {
  hostname: string
  port: number
  signal: AbortSignal
}

export class AddressGuard {
  readonly #isAllowed: IsAllowedAddress
  readonly #secureContext: SecureContext
  // Not dns.lookup: it uses the four threads of the process's pool, so one slow name would stall every host. It also reads
  // /etc/hosts, whose names must not be reachable for customers.
  readonly #resolver = new Resolver({ timeout: 1500, tries: 2 })

  constructor({ isAllowed, extraCa, nameServers }: GuardSettings) {
    this.#isAllowed = isAllowed
    // Created once: reading the trusted certificates costs more than a handshake.
    this.#secureContext = createSecureContext(extraCa ? { ca: [...getCACertificates('default'), extraCa] } : {})
    if (nameServers) this.#resolver.setServers(nameServers)
  }

  /** A verified TLS connection to the host. No data is written before verification. */
  async dial({ hostname, port, signal, vetted, connected }: Dial): Promise<TLSSocket> {
    const host = hostOf(hostname)
    const addresses = await unlessAborted(this.vet(host), signal)
    vetted?.(addresses.map((it) => it.address))
    const socket = connect(this.#connectionTo(host, port, addresses))
    if (connected) socket.once('connect', connected)
    try {
      await once(socket, 'secureConnect', { signal })
      this.#refuseForbidden(socket.remoteAddress ?? '')
      return socket.setNoDelay(true)
    } catch (error) {
      socket.destroy()
      throw error
    }
  }

  /** Without TLS, and therefore only to addresses that the operator allows: the network could read secrets (D50). */
  async dialPlain({ hostname, port, signal, vetted, connected }: Dial): Promise<Socket> {
    const host = hostOf(hostname)
    const addresses = await unlessAborted(this.vet(host), signal)
    if (!addresses.every(({ address }) => this.#isAllowed(address)))
      throw new DialError('without TLS, only addresses that the operator allows are dialled')
    vetted?.(addresses.map((it) => it.address))
    const { lookup } = this.#connectionTo(host, port, addresses)
    const socket = connectPlain({ host, port, ...(lookup && { lookup }), autoSelectFamily: true })
    try {
      await once(socket, 'connect', { signal })
      connected?.()
      this.#refuseForbidden(socket.remoteAddress ?? '')
      return socket.setNoDelay(true)
    } catch (error) {
      socket.destroy()
      throw error
    }
  }

  /** All addresses of a host. One forbidden address refuses the host, because any of them may be dialled. */
  async vet(host: string): Promise<LookupAddress[]> {
    const address = addressWithoutDns(host)
    const addresses = address === undefined ? await this.#resolve(host) : [address]
    for (const each of addresses) this.#refuseForbidden(each)
    return addresses.map((each) => ({ address: each, family: isIP(each) }))
  }

  close(): void {
    this.#resolver.cancel()
  }

  #connectionTo(host: string, port: number, addresses: LookupAddress[]): ConnectionOptions & TcpNetConnectOpts {
    return {
      host,
      port,
      // The certificate must match this name. An IP address is not a valid server name (RFC 6066); the certificate must contain it.
      servername: isIP(host) === 0 ? host : '',
      // Not resolved again: a second answer could be another address. Node tries the addresses in order.
      lookup: (_host, _options, done) => done(null, addresses),
      autoSelectFamily: true,
      secureContext: this.#secureContext,
      // Explicit, because an environment variable can disable the default.
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
    }
  }

  async #resolve(host: string): Promise<string[]> {
    const answers = await Promise.allSettled([this.#resolver.resolve4(host), this.#resolver.resolve6(host)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length === 0) throw new DialError('DNS lookup failed')
    return addresses
  }

  // The message omits the address; otherwise a customer could resolve names of the operator's network.
  #refuseForbidden(address: string): void {
    const kind = forbiddenKind(address, this.#isAllowed)
    if (kind !== undefined) throw new DialError(`the host has a special address (${kind})`)
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true })
  return Promise.race([work, aborted.promise])
}
