// The nearest printable ASCII of a character, for senders (D34) and for texts that a carrier's alphabet cannot encode (D57).

/** Removes accents. Returns a character without an ASCII equivalent unchanged. */
export function asciiEquivalent(character: string): string {
  const [plain = ''] = character.normalize('NFKD')
  return ASCII_EQUIVALENTS.get(character) ?? ASCII_EQUIVALENTS.get(plain) ?? plain
}

/** Characters that Unicode does not decompose into a letter and accents; a brand name may use the whole GSM alphabet (§2.2). */
export const ASCII_EQUIVALENTS: ReadonlyMap<string, string> = new Map(
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
