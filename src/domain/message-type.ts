// The three types of message (§2.1) and the plans that may send them (§2.3).

export const MESSAGE_TYPES = ['transactional', 'otp', 'promotional'] as const

export type MessageType = (typeof MESSAGE_TYPES)[number]

/** For messages that people write: an OTP has its own call, which draws and verifies the code. null allows every type. */
export function withoutOtp(types: readonly MessageType[] | null): MessageType[] {
  return (types ?? MESSAGE_TYPES).filter((type) => type !== 'otp')
}
