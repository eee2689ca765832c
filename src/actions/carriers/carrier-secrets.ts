// Encrypts and decrypts carrier secrets. Secrets are decrypted only to connect.
import type { Carrier, HttpCarrier, SmppCarrier } from '../../domain/carriers/carrier.ts'
import {
  type HttpSecrets,
  parseHttpSecrets,
  parseSmppSecrets,
  type SmppSecrets,
  serializeSecrets,
} from '../../domain/carriers/secrets.ts'
import { carrierSecretsContext } from '../../store/carriers/carriers.ts'
import type { Ports } from '../ports.ts'

type Sealing = Pick<Ports, 'keyring'>

export function sealCarrierSecrets(
  { keyring }: Sealing,
  carrierId: string,
  secrets: HttpSecrets | SmppSecrets,
): Buffer {
  return keyring.seal('secrets', carrierSecretsContext(carrierId), serializeSecrets(secrets))
}

export function smppSecretsOf(sealing: Sealing, carrier: SmppCarrier): SmppSecrets {
  return parseSmppSecrets(open(sealing, carrier))
}

export function httpSecretsOf(sealing: Sealing, carrier: HttpCarrier): HttpSecrets {
  return parseHttpSecrets(open(sealing, carrier))
}

function open({ keyring }: Sealing, { id, secretsSealed }: Carrier): string {
  return keyring.open('secrets', carrierSecretsContext(id), secretsSealed)
}
