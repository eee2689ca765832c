// The conversation of a test phone in the order of time, and the list of phones.
import type { HandsetMessageList } from '../api/calls.ts'

export interface Bubble {
  key: string
  isOwn: boolean
  /** The sender, or the recipient of a reply. */
  other: string
  text: string
  at: string
  /** The OTP in the text: six digits. */
  code: string | null
}

export function conversationOf({ items, replies }: HandsetMessageList, number: string): Bubble[] {
  // The API lists the newest first; reversing keeps the order of messages with the same time.
  const received = items
    .filter(({ to }) => to === number)
    .toReversed()
    .map(({ id, from, text, receivedAt: at }) => ({ key: id, isOwn: false, other: from, text, at, code: codeIn(text) }))
  const written = replies
    .filter(({ from }) => from === number)
    .toReversed()
    .map(({ to, text, sentAt: at }, index) => ({ key: `${at} ${index}`, isOwn: true, other: to, text, at, code: null }))
  return [...received, ...written].sort(
    (one, other) => one.at.localeCompare(other.at) || Number(one.isOwn) - Number(other.isOwn),
  )
}

interface Phone {
  number: string
  last: string
  isReply: boolean
  at: string
}

/** The phone with the latest message comes first. */
export function phonesOf({ items, replies }: HandsetMessageList): Phone[] {
  const messages = [
    ...items.map(({ to, text, receivedAt }) => ({ number: to, last: text, isReply: false, at: receivedAt })),
    ...replies.map(({ from, text, sentAt }) => ({ number: from, last: text, isReply: true, at: sentAt })),
  ].sort((one, other) => other.at.localeCompare(one.at))
  return [...Map.groupBy(messages, ({ number }) => number).values()].flatMap(([latest]) => (latest ? [latest] : []))
}

function codeIn(text: string): string | null {
  return /(?<!\d)\d{6}(?!\d)/.exec(text)?.[0] ?? null
}

const DEFAULT_PREFIX = '+97798000000'

/** The same number with other last digits. */
export function endingIn(number: string, digits: string): string {
  return /^\+\d{9,15}$/.test(number) ? number.slice(0, -2) + digits : DEFAULT_PREFIX + digits
}
