// The text of an OTP message (§2.2): for sending, pricing and preview.

/** D5: always one GSM-7 segment, since a brand name has at most 30 characters of that alphabet. */
export function otpText(brandName: string, code: string): string {
  return `${brandName}: ${code} is your verification code, valid for 5 minutes. Do not share it with anyone.`
}
