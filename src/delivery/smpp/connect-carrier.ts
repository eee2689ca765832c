// A bound session with a carrier: the hosts that it has, in their order, over TLS where it wants that, and as whom we bind.
import { smppSecretsOf } from '../../actions/carriers/carrier-secrets.ts'
import type { Ports } from '../../actions/ports.ts'
import type { BindMode } from '../../domain/carriers/bind.ts'
import type { SmppCarrier } from '../../domain/carriers/carrier.ts'
import type { SmppSettings } from '../../domain/carriers/smpp/smpp-settings.ts'
import { BindError } from '../../smpp/closing.ts'
import { type ConnectOptions, connectSession } from '../../smpp/open-session.ts'
import type { SmppSession } from '../../smpp/session.ts'
import type { Delivery } from './deliveries.ts'

export interface ConnectingOptions extends Pick<ConnectOptions, 'onFrame' | 'onStray'> {
  keyring: Ports['keyring']
  mode: BindMode
  signal: AbortSignal
  hear: (pdu: Delivery, session: SmppSession) => Promise<{ status: number }>
}

/** Each time from the first host on: the first that lets us in is it. */
export async function connectCarrier(
  carrier: SmppCarrier,
  options: ConnectingOptions,
): Promise<{ session: SmppSession; peer: string }> {
  const hosts = [carrier.smpp, ...carrier.smpp.otherHosts]
  const faults: HostFault[] = []
  for (const { host, port } of hosts) {
    const peer = `${host}:${port}`
    try {
      return { session: await connectSession({ ...connectOptions(carrier, options), host, port }), peer }
    } catch (fault) {
      if (hosts.length === 1 || options.signal.aborted) throw fault
      faults.push(new HostFault(peer, fault))
    }
  }
  throw new AggregateError(faults)
}

function connectOptions(
  carrier: SmppCarrier,
  { keyring, mode, signal, hear, ...watching }: ConnectingOptions,
): Omit<ConnectOptions, 'host' | 'port'> {
  const { smpp } = carrier
  const { password, tlsKey } = smppSecretsOf({ keyring }, carrier)
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
    ...watching,
    handlers: { deliver_sm: hear, data_sm: hear },
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

/** Where several hosts were tried: which of them said it. */
class HostFault extends Error {
  readonly bindStatus: number | undefined

  constructor(peer: string, fault: unknown) {
    super(`${peer}: ${reasonOf(fault)}`)
    this.bindStatus = bindStatusOf(fault)
  }
}

/** Of several hosts only what all say: one that does not know us must not keep us from the others. */
export function bindStatusOf(fault: unknown): number | undefined {
  if (fault instanceof BindError) return fault.status
  if (fault instanceof HostFault) return fault.bindStatus
  if (!(fault instanceof AggregateError)) return undefined
  const [first, ...others] = fault.errors.map(bindStatusOf)
  return others.every((other) => other === first) ? first : undefined
}

const NAMELESS = ['ENOTFOUND', 'EAI_AGAIN']
const NO_ADDRESS = 'no address was found for the name of the host'

/** A host of several addresses fails with several errors in one that says nothing itself. */
export function reasonOf(fault: unknown): string {
  if (fault instanceof AggregateError) return fault.errors.map(reasonOf).join('; ')
  if (!(fault instanceof Error)) return String(fault)
  return 'code' in fault && NAMELESS.includes(String(fault.code)) ? NO_ADDRESS : fault.message
}
