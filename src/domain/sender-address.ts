// The sender as the wire can carry it (D34). A message records its sender as it was given; the address that a carrier gets is made
// from it here, and fits SMPP's source_addr whatever it was made from: no message fails for its sender.

export interface SenderAddress {
  kind: 'number' | 'shortCode' | 'word'
  address: string
}

const LONGEST_NUMBER = 15
const SHORTEST_NUMBER = 7
const LONGEST_WORD = 11
/** Where neither the message's sender nor the carrier's own can be sent. */
const LAST_RESORT: SenderAddress = { kind: 'word', address: 'SMS' }

/** By the default rules; what they leave nothing of, or nothing that may be sent, becomes the carrier's default sender. */
export function senderAddress(sender: string, defaultSender: string | null): SenderAddress {
  return addressOf(sender) ?? addressOf(defaultSender ?? '') ?? LAST_RESORT
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

/** What does not come apart into a letter and its marks; a brand may use all of the GSM alphabet (§2.2). */
const LIKENESSES = new Map(
  Object.entries({
    ...{ ß: 'ss', ẞ: 'SS', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ø: 'o', Ø: 'O', ł: 'l', Ł: 'L', ı: 'i' },
    ...{ đ: 'd', Đ: 'D', ð: 'd', Ð: 'D', þ: 'th', Þ: 'Th' },
    ...{ Γ: 'G', Δ: 'D', Θ: 'Th', Λ: 'L', Ξ: 'X', Π: 'P', Σ: 'S', Φ: 'F', Ψ: 'Ps', Ω: 'O' },
    ...{
      '€': 'E',
      '£': 'L',
      '¥': 'Y',
      '₹': 'Rs',
      '§': 'S',
      '–': '-',
      '—': '-',
      '‘': "'",
      '’': "'",
      '“': '"',
      '”': '"',
    },
  }),
)
