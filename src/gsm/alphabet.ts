// The alphabet of short messages (GSM 03.38 §6.2.1). One table: what a text costs (D3) is what goes over the wire.

export const GSM_ESCAPE = 0x1b

/** 128 characters, each at its own code; the escape's place holds a filler that no text is ever matched against. */
export const GSM_BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'

/** By the code that follows an escape. */
export const GSM_EXTENSION: ReadonlyMap<number, string> = new Map([
  [0x0a, '\f'],
  [0x14, '^'],
  [0x28, '{'],
  [0x29, '}'],
  [0x2f, '\\'],
  [0x3c, '['],
  [0x3d, '~'],
  [0x3e, ']'],
  [0x40, '|'],
  [0x65, '€'],
])

/** By character: its code, or the escape and its code. */
export const GSM_SEPTETS: ReadonlyMap<string, readonly number[]> = new Map([
  ...Array.from(GSM_BASIC, (character, code): [string, number[]] => [character, [code]]).toSpliced(GSM_ESCAPE, 1),
  ...Array.from(GSM_EXTENSION, ([code, character]): [string, number[]] => [character, [GSM_ESCAPE, code]]),
])
