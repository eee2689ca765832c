// QR codes (ISO/IEC 18004) of short texts: byte mode, error correction level M, versions 1 to 20.

export type Matrix = boolean[][]

/** Error correction codewords per block and the number of blocks at level M, by version. */
const CORRECTION = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26]
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]
const BYTE_MODE = 0b0100
const LEVEL_M = 0b00
const PADDING = [0xec, 0x11]

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

/** The dark modules, row by row; null for a text that is too long. */
export function encodeQr(text: string): Matrix | null {
  const bytes = new TextEncoder().encode(text)
  const version = CORRECTION.findIndex((_, index) => bytes.length <= maxBytes(index + 1)) + 1
  if (version === 0) return null
  const codewords = interleave(dataCodewords(bytes, version), version)
  const { matrix, isFunction } = drawFunctionPatterns(version)
  drawCodewords(matrix, isFunction, codewords)
  const masked = MASKS.map((_, mask) => applyMask(matrix, isFunction, mask))
  const penalties = masked.map(penaltyOf)
  return masked[penalties.indexOf(Math.min(...penalties))] ?? null
}

/** The path of the dark modules, for an SVG with one unit per module. */
export function pathOf(matrix: Matrix): string {
  return matrix.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
}

function sizeOf(version: number): number {
  return version * 4 + 17
}

function allCodewords(version: number): number {
  let modules = (16 * version + 128) * version + 64
  if (version >= 2) {
    const alignments = Math.floor(version / 7) + 2
    modules -= (25 * alignments - 10) * alignments - 55
    if (version >= 7) modules -= 36
  }
  return Math.floor(modules / 8)
}

function dataLength(version: number): number {
  return allCodewords(version) - at(CORRECTION, version - 1) * at(BLOCKS, version - 1)
}

function lengthBits(version: number): number {
  return version < 10 ? 8 : 16
}

function maxBytes(version: number): number {
  return Math.floor((dataLength(version) * 8 - 4 - lengthBits(version)) / 8)
}

function dataCodewords(bytes: Uint8Array, version: number): number[] {
  const bits: number[] = []
  const append = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1)
  }
  append(BYTE_MODE, 4)
  append(bytes.length, lengthBits(version))
  for (const byte of bytes) append(byte, 8)
  const length = dataLength(version)
  append(0, Math.min(4, length * 8 - bits.length))
  append(0, (8 - (bits.length % 8)) % 8)
  for (let index = 0; bits.length < length * 8; index += 1) append(at(PADDING, index % 2), 8)
  return Array.from({ length }, (_, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0),
  )
}

/** Splits the data into blocks, and takes turns between the blocks and between their corrections. */
function interleave(data: readonly number[], version: number): number[] {
  const count = at(BLOCKS, version - 1)
  const correctionLength = at(CORRECTION, version - 1)
  const shortLength = Math.floor(data.length / count)
  const shortBlocks = count - (data.length % count)
  const blocks = Array.from({ length: count }, (_, index) => {
    const start = index * shortLength + Math.max(0, index - shortBlocks)
    return data.slice(start, start + shortLength + (index < shortBlocks ? 0 : 1))
  })
  const corrections = blocks.map((block) => correctionOf(block, correctionLength))
  return [...takeTurns(blocks), ...takeTurns(corrections)]
}

function takeTurns(blocks: readonly (readonly number[])[]): number[] {
  const longest = Math.max(...blocks.map(({ length }) => length))
  return Array.from({ length: longest }, (_, index) => blocks.flatMap((block) => block.slice(index, index + 1))).flat()
}

/** The Reed-Solomon codewords over GF(256) with the polynomial 0x11d. */
export function correctionOf(data: readonly number[], length: number): number[] {
  let divisor = [1]
  let root = 1
  for (let index = 0; index < length; index += 1) {
    const factor = root
    const multiplied = divisor.map((coefficient) => multiply(coefficient, factor))
    divisor = [...divisor, 0].map((coefficient, place) => coefficient ^ (multiplied[place - 1] ?? 0))
    root = multiply(root, 2)
  }
  const rest = Array.from({ length }, () => 0)
  for (const byte of data) {
    const factor = byte ^ (rest.shift() ?? 0)
    rest.push(0)
    for (const [place, coefficient] of divisor.slice(1).entries())
      rest[place] = at(rest, place) ^ multiply(coefficient, factor)
  }
  return rest
}

function multiply(left: number, right: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >> 7) * 0x11d)
    if ((right >> bit) & 1) product ^= left
  }
  return product
}

interface Drawing {
  matrix: Matrix
  /** Modules that hold no data. */
  isFunction: Matrix
}

function drawFunctionPatterns(version: number): Drawing {
  const size = sizeOf(version)
  const empty = () => Array.from({ length: size }, () => Array.from({ length: size }, () => false))
  const drawing = { matrix: empty(), isFunction: empty() }
  const set = (x: number, y: number, isDark: boolean) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return
    setModule(drawing.matrix, x, y, isDark)
    setModule(drawing.isFunction, x, y, true)
  }
  for (let index = 0; index < size; index += 1) {
    set(6, index, index % 2 === 0)
    set(index, 6, index % 2 === 0)
  }
  for (const [x, y] of alignmentCentres(version)) drawSquares(set, { x, y, radius: 2, light: 1 })
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    drawSquares(set, { x, y, radius: 4, light: 2 })
  // The places of the format: the mask sets their values.
  for (const [x, y] of formatPlaces(size)) set(x, y, false)
  set(8, size - 8, true)
  if (version >= 7) drawVersion(set, version, size)
  return drawing
}

type SetModule = (x: number, y: number, isDark: boolean) => void

/** Concentric squares: dark, except for the ring at `light` and the separator of a finder pattern at 4. */
function drawSquares(
  set: SetModule,
  { x, y, radius, light }: { x: number; y: number; radius: number; light: number },
): void {
  for (let down = -radius; down <= radius; down += 1)
    for (let right = -radius; right <= radius; right += 1) {
      const ring = Math.max(Math.abs(down), Math.abs(right))
      set(x + right, y + down, ring !== light && ring !== 4)
    }
}

function alignmentCentres(version: number): [x: number, y: number][] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2
  const last = sizeOf(version) - 7
  const places = [6, ...Array.from({ length: count - 1 }, (_, index) => last - (count - 2 - index) * step)]
  const isFinder = (x: number, y: number) => (x === 6 && (y === 6 || y === last)) || (x === last && y === 6)
  return places.flatMap((y) => places.filter((x) => !isFinder(x, y)).map((x): [number, number] => [x, y]))
}

/** The remainder of a BCH code, in the given number of bits. */
function remainderOf(value: number, generator: number, bits: number): number {
  let rest = value
  for (let step = 0; step < bits; step += 1) rest = (rest << 1) ^ ((rest >> (bits - 1)) * generator)
  return rest
}

function drawVersion(set: SetModule, version: number, size: number): void {
  const bits = (version << 12) | remainderOf(version, 0x1f25, 12)
  for (let index = 0; index < 18; index += 1) {
    const isDark = ((bits >> index) & 1) === 1
    const [near, far] = [Math.floor(index / 3), size - 11 + (index % 3)]
    set(far, near, isDark)
    set(near, far, isDark)
  }
}

/** Both copies of the 15 bits of the format, the lowest bit first. */
function formatPlaces(size: number): [x: number, y: number][] {
  const beside = [0, 1, 2, 3, 4, 5, 7, 8].map((y): [number, number] => [8, y])
  const below = [7, 5, 4, 3, 2, 1, 0].map((x): [number, number] => [x, 8])
  const right = Array.from({ length: 8 }, (_, index): [number, number] => [size - 1 - index, 8])
  const bottom = Array.from({ length: 7 }, (_, index): [number, number] => [8, size - 7 + index])
  return [...beside, ...below, ...right, ...bottom]
}

/** From the bottom right in columns of two, upwards and downwards in turn. */
function drawCodewords(matrix: Matrix, isFunction: Matrix, codewords: readonly number[]): void {
  const size = matrix.length
  let bit = 0
  for (let right = size - 1; right >= 1; right -= 2) {
    // The timing pattern has a column of its own.
    if (right === 6) right = 5
    const isUpward = ((right + 1) & 2) === 0
    for (let step = 0; step < size; step += 1) {
      const y = isUpward ? size - 1 - step : step
      for (const x of [right, right - 1]) {
        if (isFunction[y]?.[x]) continue
        setModule(matrix, x, y, (((codewords[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1)
        bit += 1
      }
    }
  }
}

function applyMask(matrix: Matrix, isFunction: Matrix, mask: number): Matrix {
  const isFlipped = MASKS[mask]
  const masked = matrix.map((row, y) =>
    row.map((isDark, x) => isDark !== (!isFunction[y]?.[x] && isFlipped?.(x, y) === true)),
  )
  const data = (LEVEL_M << 3) | mask
  const bits = ((data << 10) | remainderOf(data, 0x537, 10)) ^ 0x5412
  for (const [index, [x, y]] of formatPlaces(matrix.length).entries())
    setModule(masked, x, y, ((bits >> (index % 15)) & 1) === 1)
  return masked
}

/** The four rules for the choice of a mask: runs, squares, patterns like a finder, and the share of dark modules. */
function penaltyOf(matrix: Matrix): number {
  const size = matrix.length
  const columns = matrix.map((_, x) => matrix.map((row) => row[x] === true))
  let penalty = 0
  for (const line of [...matrix, ...columns]) {
    const text = line.map((isDark) => (isDark ? '1' : '0')).join('')
    for (const [run] of text.matchAll(/1{5,}|0{5,}/g)) penalty += run.length - 2
    for (const pattern of ['10111010000', '00001011101'])
      for (let from = text.indexOf(pattern); from >= 0; from = text.indexOf(pattern, from + 1)) penalty += 40
  }
  for (let y = 0; y < size - 1; y += 1)
    for (let x = 0; x < size - 1; x += 1) {
      const isDark = matrix[y]?.[x]
      if (isDark === matrix[y]?.[x + 1] && isDark === matrix[y + 1]?.[x] && isDark === matrix[y + 1]?.[x + 1])
        penalty += 3
    }
  const share = matrix.flat().filter(Boolean).length / size ** 2
  return penalty + Math.floor(Math.abs(share * 20 - 10)) * 10
}

function setModule(matrix: Matrix, x: number, y: number, isDark: boolean): void {
  const row = matrix[y]
  if (row) row[x] = isDark
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? 0
}
