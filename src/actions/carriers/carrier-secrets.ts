// The secrets of carriers: sealed when they are given, opened where a carrier is connected to, never shown.
import type { Carrier, HttpCarrier, SmppCarrier } from '../../domain/carriers/carrier.ts'
import { packSecrets, type Secrets, type SmppSecrets, unpackSecrets } from '../../domain/carriers/secrets.ts'
import { carrierSecretsContext } from '../../store/carriers/carriers.ts'
import type { Ports } from '../ports.ts'

type Sealing = Pick<Ports, 'keyring'>

export function sealCarrierSecrets({ keyring }: Sealing, carrierId: string, secrets: Secrets | SmppSecrets): Buffer {
  return keyring.seal('secrets', carrierSecretsContext(carrierId), packSecrets(secrets))
}

export function smppSecretsOf(sealing: Sealing, carrier: SmppCarrier): SmppSecrets {
  return unpackSecrets(open(sealing, carrier))
}

/** D50 */
export function httpSecretsOf(sealing: Sealing, carrier: HttpCarrier): Secrets {
  return unpackSecrets(open(sealing, carrier))
}

function open({ keyring }: Sealing, { id, secretsSealed }: Carrier): string {
  return keyring.open('secrets', carrierSecretsContext(id), secretsSealed)
}
