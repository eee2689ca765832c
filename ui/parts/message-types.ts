// The types of messages, in the order in which the console shows them.
export const MESSAGE_TYPES = ['transactional', 'otp', 'promotional'] as const
export type MessageType = (typeof MESSAGE_TYPES)[number]
