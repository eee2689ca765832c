// Dials what others have given us the address of, and only what may be dialled: judged by its addresses at every connection (D31, D50).
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
import { addressWithoutDns, forbiddenKind, hostOf, type IsAllowedAddress } from '../domain/webhooks/receiver-url.ts'
import type { DialNews } from './dial-steps.ts'

export interface GuardSettings {
  isAllowed: IsAllowedAddress
  /** PEM certificates to trust beside those that Node trusts. */
  extraCa?: string | undefined
  /** Name servers as `address` or `address:port`; those of the system when absent. */
  nameServers?: string[] | undefined
}

/** What was not dialled. The message is plain words for whoever gave the address. */
export class UndialledReceiver extends Error {}

interface Dial extends DialNews {
  hostname: string
  port: number
  signal: AbortSignal
}

export class AddressGuard {
  readonly #isAllowed: IsAllowedAddress
  readonly #secureContext: SecureContext
  // Not dns.lookup: it shares four threads with the whole process, so one slow name would stall every receiver. It would
  // also read /etc/hosts; a name that only this machine knows does not exist for a customer.
  readonly #resolver = new Resolver({ timeout: 1500, tries: 2 })

  constructor({ isAllowed, extraCa, nameServers }: GuardSettings) {
    this.#isAllowed = isAllowed
    // Made once: reading the trusted certificates anew for each connection costs more than its handshake.
    this.#secureContext = createSecureContext(extraCa ? { ca: [...getCACertificates('default'), extraCa] } : {})
    if (nameServers) this.#resolver.setServers(nameServers)
  }

  /** A verified TLS connection to the host, or an error. Nothing of a posting is written before it stands. */
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

  /** Without TLS, and so only to addresses that the operator allows: what is secret would be read on the way to others (D50). */
  async dialPlain({ hostname, port, signal, vetted, connected }: Dial): Promise<Socket> {
    const host = hostOf(hostname)
    const addresses = await unlessAborted(this.vet(host), signal)
    if (!addresses.every(({ address }) => this.#isAllowed(address)))
      throw new UndialledReceiver('without TLS only addresses that the operator allows are dialled')
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

  /** All addresses of a host. One forbidden among them refuses the host: which one is dialled must not be luck. */
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
      // The certificate must be for this name; an address is no server name (RFC 6066), and the certificate must carry it.
      servername: isIP(host) === 0 ? host : '',
      // Not resolved again: the second answer could be another address. Node tries these one after the other.
      lookup: (_host, _options, done) => done(null, addresses),
      autoSelectFamily: true,
      secureContext: this.#secureContext,
      // Said aloud, since an environment variable could turn the default off.
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
    }
  }

  async #resolve(host: string): Promise<string[]> {
    const answers = await Promise.allSettled([this.#resolver.resolve4(host), this.#resolver.resolve6(host)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length === 0) throw new UndialledReceiver('no address was found for the name of the host')
    return addresses
  }

  // The address itself stays untold: an owner could otherwise read the names of the operator's own network.
  #refuseForbidden(address: string): void {
    const kind = forbiddenKind(address, this.#isAllowed)
    if (kind !== undefined) throw new UndialledReceiver(`the host has a special address (${kind})`)
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true })
  return Promise.race([work, aborted.promise])
}
