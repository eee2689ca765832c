// What a character is nearest to in printable ASCII, for senders (D34) and for texts that an alphabet cannot say (D57).

/** Marks fall away from their letters; a character without a likeness comes back as it is. */
export function likenessOf(character: string): string {
  const [plain = ''] = character.normalize('NFKD')
  return LIKENESSES.get(character) ?? LIKENESSES.get(plain) ?? plain
}

/** What does not come apart into a letter and its marks; a brand may use all of the GSM alphabet (§2.2). */
export const LIKENESSES: ReadonlyMap<string, string> = new Map(
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
