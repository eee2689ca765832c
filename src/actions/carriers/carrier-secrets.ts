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

export function encryptCarrierSecrets(
  { keyring }: Pick<Ports, 'keyring'>,
  carrierId: string,
  secrets: HttpSecrets | SmppSecrets,
): Buffer {
  return keyring.seal('secrets', carrierSecretsContext(carrierId), serializeSecrets(secrets))
}

export function decryptSmppSecrets(ports: Pick<Ports, 'keyring'>, carrier: SmppCarrier): SmppSecrets {
  return parseSmppSecrets(decrypt(ports, carrier))
}

export function decryptHttpSecrets(ports: Pick<Ports, 'keyring'>, carrier: HttpCarrier): HttpSecrets {
  return parseHttpSecrets(decrypt(ports, carrier))
}

function decrypt({ keyring }: Pick<Ports, 'keyring'>, { id, secretsSealed }: Carrier): string {
  return keyring.open('secrets', carrierSecretsContext(id), secretsSealed)
}
