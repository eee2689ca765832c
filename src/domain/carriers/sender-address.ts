// The sender as SMPP's source_addr can carry it (D34). A message keeps the sender as given; no message fails because of its sender.

import { getOwnValue } from '../own-value.ts'
import { ASCII_EQUIVALENTS } from './ascii-equivalents.ts'

export interface SenderAddress {
  kind: 'number' | 'shortCode' | 'word'
  address: string
}

const MAX_NUMBER_LENGTH = 15
const MIN_NUMBER_LENGTH = 7
const MAX_WORD_LENGTH = 11
/** Used if neither the message's sender nor the carrier's own can be sent. */
const LAST_RESORT: SenderAddress = { kind: 'word', address: 'SMS' }

/** A carrier's rules for senders. */
export interface SenderRules {
  defaultSender: string | null
  /** By the given sender in any case: the sender to use instead. */
  senderRewrites: Record<string, string>
  /** The only senders to use; an empty list allows all. */
  allowedSenders: readonly string[]
}

/**
 * D55: applies the rewrites, then converts the sender to an address, then checks the allow list. An empty or forbidden address becomes the
 * carrier's default sender, or the first allowed one.
 */
export function senderAddress(sender: string, rules: SenderRules): SenderAddress {
  const { defaultSender, senderRewrites, allowedSenders } = rules
  const rewritten = getOwnValue(senderRewrites, addressKey(sender)) ?? sender
  const address = addressOf(rewritten)
  if (address && isAllowed(address, allowedSenders)) return address
  return addressOf(defaultSender ?? allowedSenders[0] ?? '') ?? LAST_RESORT
}

function isAllowed({ address }: SenderAddress, allowed: readonly string[]): boolean {
  return allowed.length === 0 || allowed.some((one) => addressKey(one) === addressKey(address))
}

/** True if the text needs no conversion. */
export function isSenderAddress(text: string): boolean {
  return addressOf(text)?.address === text
}

/** Carriers write numbers with or without a plus, and words in either case. Equal addresses have equal keys. */
export function addressKey(address: string): string {
  return address.trim().replace(/^\+/, '').toLowerCase()
}

function addressOf(sender: string): SenderAddress | null {
  const plain = transliterated(sender)
  const digits = /^\+?(\d+)$/.exec(plain)?.[1]
  if (digits !== undefined && digits.length <= MAX_NUMBER_LENGTH) {
    return { kind: digits.length >= MIN_NUMBER_LENGTH ? 'number' : 'shortCode', address: digits }
  }
  const word = plain.slice(0, MAX_WORD_LENGTH).trim()
  // A word needs a letter: networks reject others, and a cut number would be the number of another subscriber.
  return /[a-z]/i.test(word) ? { kind: 'word', address: word } : null
}

/** Printable ASCII: accents are removed, and characters without an equivalent are left out. */
function transliterated(text: string): string {
  const alike = Array.from(text.normalize('NFKD'), (character) => ASCII_EQUIVALENTS.get(character) ?? character)
  return alike
    .join('')
    .replaceAll(/[^ -~]/g, '')
    .replaceAll(/ +/g, ' ')
    .trim()
}
