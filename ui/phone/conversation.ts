// What a phone shows: what reached it and what it wrote, in the order of time; and which phones there are.
import type { HandsetMessageList } from '../api/calls.ts'

export interface Bubble {
  key: string
  isOwn: boolean
  /** Who wrote to the phone, or whom it wrote to. */
  other: string
  text: string
  at: string
  /** The one-time code in it, if it looks as if there were one. */
  code: string | null
}

export function conversationOf({ items, replies }: HandsetMessageList, number: string): Bubble[] {
  // They come newest first, and those of one moment keep their order.
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

export interface Phone {
  number: string
  last: string
  at: string
}

/** Whoever heard something last comes first. */
export function phonesOf({ items, replies }: HandsetMessageList): Phone[] {
  const heard = [
    ...items.map(({ to, text, receivedAt }) => ({ number: to, last: text, at: receivedAt })),
    ...replies.map(({ from, text, sentAt }) => ({ number: from, last: text, at: sentAt })),
  ].sort((one, other) => other.at.localeCompare(one.at))
  return [...Map.groupBy(heard, ({ number }) => number).values()].flatMap(([latest]) => (latest ? [latest] : []))
}

function codeIn(text: string): string | null {
  return /(?<!\d)\d{6}(?!\d)/.exec(text)?.[0] ?? null
}

const DEFAULT_BEGINNING = '+97798000000'

/** The phone beside this one whose number ends so. */
export function endingIn(number: string, digits: string): string {
  return /^\+\d{9,15}$/.test(number) ? number.slice(0, -2) + digits : DEFAULT_BEGINNING + digits
}
