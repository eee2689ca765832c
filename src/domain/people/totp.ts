// TOTP codes of an authenticator app (RFC 6238, RFC 4226): six digits, valid for 30 seconds.
import { createHmac, hash, timingSafeEqual } from 'node:crypto'

export const TOTP_SECRET_BYTES = 20
const STEP_SECONDS = 30
const DIGITS = 6
/** Clocks of phones differ. */
const STEPS_AROUND = 1

export const RECOVERY_CODES = 10
export const RECOVERY_CODE_BYTES = 10

function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const at = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** The time step of the code, later than the step of the last used code; null if the code is wrong. */
export function findTotpStep(
  code: string,
  { secret, after, now }: { secret: Buffer; after: number; now: Date },
): number | null {
  const current = Math.floor(now.getTime() / 1000 / STEP_SECONDS)
  const around = Array.from({ length: 2 * STEPS_AROUND + 1 }, (_, index) => current - STEPS_AROUND + index)
  const given = Buffer.from(code)
  const isMatch = (step: number) => given.length === DIGITS && timingSafeEqual(Buffer.from(codeAt(secret, step)), given)
  return around.find((step) => step > after && isMatch(step)) ?? null
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => BASE32[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}

/** The content of the QR code. */
export function totpUri(secret: Buffer, email: string): string {
  const query = new URLSearchParams({ secret: base32(secret), issuer: 'Hulaki', period: String(STEP_SECONDS) })
  return `otpauth://totp/${encodeURIComponent(`Hulaki:${email}`)}?${query}`
}

/** 80 random bits, in four groups. */
export function formatRecoveryCode(bytes: Uint8Array): string {
  return (base32(bytes).toLowerCase().match(/.{4}/g) ?? []).join('-')
}

/** Ignores case and separators. */
export function hashRecoveryCode(code: string): string {
  return hash('sha256', code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''), 'hex')
}
