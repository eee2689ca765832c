// The three types of message (§2.1) and the plans that may send them (§2.3).

export const MESSAGE_TYPES = ['transactional', 'otp', 'promotional'] as const

export type MessageType = (typeof MESSAGE_TYPES)[number]
