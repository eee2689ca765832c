// The sender as the wire can carry it (D34). A message records its sender as it was given; the address that a carrier gets is made
// from it here, and fits SMPP's source_addr whatever it was made from: no message fails for its sender.

import { ownOf } from '../own.ts'
import { LIKENESSES } from './likeness.ts'

export interface SenderAddress {
  kind: 'number' | 'shortCode' | 'word'
  address: string
}

const LONGEST_NUMBER = 15
const SHORTEST_NUMBER = 7
const LONGEST_WORD = 11
/** Where neither the message's sender nor the carrier's own can be sent. */
const LAST_RESORT: SenderAddress = { kind: 'word', address: 'SMS' }

/** What a carrier makes of senders. */
export interface SenderRules {
  defaultSender: string | null
  /** By what was given, whatever its case: what is sent in its place. */
  senderRewrites: Record<string, string>
  /** The only ones that may be sent; empty is all. */
  allowedSenders: readonly string[]
}

/**
 * D55: first what was given is looked up among the rewrites, then made an address, then held against the allow-list. What is left of
 * nothing, or may not be sent, becomes the carrier's default sender, and where it has none the first that it allows.
 */
export function senderAddress(sender: string, rules: SenderRules): SenderAddress {
  const { defaultSender, senderRewrites, allowedSenders } = rules
  const rewritten = ownOf(senderRewrites, addressKey(sender)) ?? sender
  const address = addressOf(rewritten)
  if (address && isAllowed(address, allowedSenders)) return address
  return addressOf(defaultSender ?? allowedSenders[0] ?? '') ?? LAST_RESORT
}

function isAllowed({ address }: SenderAddress, allowed: readonly string[]): boolean {
  return allowed.length === 0 || allowed.some((one) => addressKey(one) === addressKey(address))
}

/** Whether it goes to the wire as it stands. */
export function isSenderAddress(text: string): boolean {
  return addressOf(text)?.address === text
}

/** Carriers give numbers with or without the plus, and words in either case: what is the same address has the same key. */
export function addressKey(address: string): string {
  return address.trim().replace(/^\+/, '').toLowerCase()
}

function addressOf(sender: string): SenderAddress | null {
  const plain = transliterated(sender)
  const digits = /^\+?(\d+)$/.exec(plain)?.[1]
  if (digits !== undefined && digits.length <= LONGEST_NUMBER) {
    return { kind: digits.length >= SHORTEST_NUMBER ? 'number' : 'shortCode', address: digits }
  }
  const word = plain.slice(0, LONGEST_WORD).trim()
  // Forbidden is a word without a letter: networks refuse it, and the beginning of a long number would be another's.
  return /[a-z]/i.test(word) ? { kind: 'word', address: word } : null
}

/** In printable ASCII: marks fall away from their letters, and what has no likeness there is left out. */
function transliterated(text: string): string {
  const alike = Array.from(text.normalize('NFKD'), (character) => LIKENESSES.get(character) ?? character)
  return alike
    .join('')
    .replaceAll(/[^ -~]/g, '')
    .replaceAll(/ +/g, ' ')
    .trim()
}
