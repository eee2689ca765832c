// Opens a bound SMPP session with the first reachable host of a carrier.
import { decryptSmppSecrets } from '../../actions/carriers/carrier-secrets.ts'
import type { Ports } from '../../actions/ports.ts'
import type { BindMode } from '../../domain/carriers/bind.ts'
import type { SmppCarrier } from '../../domain/carriers/carrier.ts'
import type { SmppSettings } from '../../domain/carriers/smpp/smpp-settings.ts'
import { BindError } from '../../smpp/closing.ts'
import { type ConnectOptions, connectSession } from '../../smpp/open-session.ts'
import type { SmppSession } from '../../smpp/session.ts'
import type { Delivery } from './deliveries.ts'

interface ConnectingOptions extends Pick<ConnectOptions, 'onFrame' | 'onUnexpectedResponse'> {
  keyring: Ports['keyring']
  mode: BindMode
  signal: AbortSignal
  receive: (pdu: Delivery, session: SmppSession) => Promise<{ status: number }>
}

/** Every attempt starts with the first host. */
export async function connectCarrier(
  carrier: SmppCarrier,
  options: ConnectingOptions,
): Promise<{ session: SmppSession; peer: string }> {
  const hosts = [carrier.smpp, ...carrier.smpp.otherHosts]
  const errors: HostError[] = []
  for (const { host, port } of hosts) {
    const peer = `${host}:${port}`
    try {
      return { session: await connectSession({ ...connectOptions(carrier, options), host, port }), peer }
    } catch (error) {
      if (hosts.length === 1 || options.signal.aborted) throw error
      errors.push(new HostError(peer, error))
    }
  }
  throw new AggregateError(errors)
}

function connectOptions(
  carrier: SmppCarrier,
  { keyring, mode, signal, receive, ...callbacks }: ConnectingOptions,
): Omit<ConnectOptions, 'host' | 'port'> {
  const { smpp } = carrier
  const { password, tlsKey } = decryptSmppSecrets({ keyring }, carrier)
  return {
    tls: smpp.tls ? tlsOf(smpp, tlsKey) : undefined,
    bindName: `bind_${mode}`,
    bind: {
      system_id: smpp.systemId,
      password,
      system_type: smpp.systemType,
      addr_ton: smpp.addressTon,
      addr_npi: smpp.addressNpi,
      address_range: smpp.addressRange,
    },
    window: carrier.window,
    timers: {
      connectMs: smpp.connectSeconds * 1000,
      bindMs: smpp.bindSeconds * 1000,
      responseMs: carrier.answerSeconds * 1000,
      enquireAfterMs: smpp.enquireSeconds * 1000,
      enquireAnswerMs: smpp.enquireAnswerSeconds * 1000,
    },
    signal,
    ...callbacks,
    handlers: { deliver_sm: receive, data_sm: receive },
  }
}

function tlsOf(smpp: SmppSettings, key: string | null): ConnectOptions['tls'] & {} {
  return {
    ...(smpp.tlsServerName !== null && { servername: smpp.tlsServerName }),
    ...(smpp.tlsCa !== null && { ca: smpp.tlsCa }),
    ...(smpp.tlsCertificate !== null && { cert: smpp.tlsCertificate }),
    ...(key !== null && { key }),
  }
}

/** Adds the host to the error of one attempt. */
class HostError extends Error {
  readonly bindStatus: number | undefined

  constructor(peer: string, error: unknown) {
    super(`${peer}: ${reasonOf(error)}`)
    this.bindStatus = bindStatusOf(error)
  }
}

/** The common bind status of all hosts: a rejection by one host must not slow the attempts at the others. */
export function bindStatusOf(error: unknown): number | undefined {
  if (error instanceof BindError) return error.status
  if (error instanceof HostError) return error.bindStatus
  if (!(error instanceof AggregateError)) return undefined
  const [first, ...others] = error.errors.map(bindStatusOf)
  return others.every((other) => other === first) ? first : undefined
}

const DNS_ERRORS = ['ENOTFOUND', 'EAI_AGAIN']
const DNS_FAILED = 'DNS lookup failed'

/** Node reports the failures of several addresses in an AggregateError without a message. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && DNS_ERRORS.includes(String(error.code)) ? DNS_FAILED : error.message
}
