// Creates OTPs (§2.2). Only a keyed hash (D20) and the sealed text for the carrier (D21) are stored.
import { codeParts } from '../../domain/codes/otp.ts'
import { otpText } from '../../domain/codes/otp-text.ts'
import type { SendRequest } from '../../domain/messages/send-request.ts'
import type { NewCode } from '../../store/codes/one-time-codes.ts'
import type { KnownClient } from '../../store/workspaces/admission.ts'
import type { Ports } from '../ports.ts'
import { testCodeContext } from '../workspaces/manage-clients.ts'

/** Null for requests without an OTP and for invalid numbers. */
export function drawCode(ports: Ports, client: KnownClient, request: SendRequest): NewCode | null {
  if (request.kind !== 'otp' || !request.number.ok) return null
  const { keyring } = ports
  const { otpId, messageId, purpose, number } = request
  const code = newCode(ports, client)
  const about = { otpId, clientId: client.id, to: number.e164, purpose }
  const keyId = keyring.activeKeyId('codes')
  const codeHash = keyring.hash('codes', codeParts(about, code), keyId)
  // Nothing is sent in test mode (D19).
  const sealedText = client.mode === 'test' ? null : keyring.seal('texts', messageId, otpText(client.brandName, code))
  return { ...about, messageId, keyId, codeHash, sealedText }
}

/** D19: a test client may have a fixed OTP, because nothing is sent. */
function newCode({ random, keyring }: Ports, { id, testOtpCodeSealed }: KnownClient): string {
  if (testOtpCodeSealed) return keyring.open('secrets', testCodeContext(id), testOtpCodeSealed)
  return String(random.below(1_000_000)).padStart(6, '0')
}
