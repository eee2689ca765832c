// QR codes: vectors of ISO/IEC 18004, a whole symbol, and symbols that are read back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { correctionOf, encodeQr, type Matrix, pathOf } from '../../ui/account/qr.ts'

/** The bits of the format at level M by mask, as in table C.1 of the standard. */
const FORMATS = [
  '101010000010010',
  '101000100100101',
  '101111001111100',
  '101101101001011',
  '100010111111001',
  '100000011001110',
  '100111110010111',
  '100101010100000',
]

/** Pins the choice of the mask; the other tests check the parts of a symbol. */
const HULAKI = `
#######..##...#######
#.....#.###...#.....#
#.###.#..####.#.###.#
#.###.#..#..#.#.###.#
#.###.#.#.###.#.###.#
#.....#....#..#.....#
#######.#.#.#.#######
.........#...........
#.#.#.#...#.#...#..#.
.##.#...####.#.#....#
#.##..####.#.###.####
##..#......###.##..#.
..#..#######.###.....
........###...##..##.
#######.....#...#.###
#.....#..##...#....##
#.###.#.###.#.#....##
#.###.#..#.#.#.###.#.
#.###.#.####.######.#
#.....#..#####..#..#.
#######.##.#.##....##
`

function qr(text: string): Matrix {
  const matrix = encodeQr(text)
  assert.ok(matrix)
  return matrix
}

function drawn(matrix: Matrix): string[] {
  return matrix.map((row) => row.map((isDark) => (isDark ? '#' : '.')).join(''))
}

function bitAt(matrix: Matrix, x: number, y: number): string {
  return matrix[y]?.[x] ? '1' : '0'
}

/** The format beside the finder pattern at the top left, the highest bit first, and its copy. */
function formatsOf(matrix: Matrix): [string, string] {
  const last = matrix.length - 1
  const places = (xs: readonly (readonly [number, number])[]) => xs.map(([x, y]) => bitAt(matrix, x, y)).join('')
  const left = [0, 1, 2, 3, 4, 5, 7, 8].map((x) => [x, 8] as const)
  const up = [7, 5, 4, 3, 2, 1, 0].map((y) => [8, y] as const)
  const bottom = Array.from({ length: 7 }, (_, index) => [8, last - index] as const)
  const right = Array.from({ length: 8 }, (_, index) => [last - 7 + index, 8] as const)
  return [places([...left, ...up]), places([...bottom, ...right])]
}

test('the error correction is that of the standard', () => {
  // HELLO WORLD in version 1-M.
  const data = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17]
  assert.deepEqual(correctionOf(data, 10), [196, 35, 39, 119, 235, 215, 231, 226, 93, 23])
})

test('a known text has a known symbol', () => {
  assert.deepEqual(drawn(qr('Hulaki')), HULAKI.trim().split('\n'))
})

test('finder patterns, timing, format and version are in their places', () => {
  const finder = ['#######.', '#.....#.', '#.###.#.', '#.###.#.', '#.###.#.', '#.....#.', '#######.', '........']
  const mirrored = (rows: readonly string[]) => rows.map((row) => [...row].reverse().join(''))
  for (const length of [1, 14, 15, 60, 122, 123, 200, 400, 666]) {
    const matrix = qr('x'.repeat(length))
    const rows = drawn(matrix)
    const top = rows.slice(0, 8)
    const bottom = rows.slice(-8).reverse()
    assert.deepEqual(
      top.map((row) => row.slice(0, 8)),
      finder,
    )
    assert.deepEqual(mirrored(top.map((row) => row.slice(-8))), finder)
    assert.deepEqual(
      bottom.map((row) => row.slice(0, 8)),
      finder,
    )
    assert.match(rows[6]?.slice(8, -8) ?? '', /^(#\.)*#$/)
    assert.match(
      rows
        .map((row) => row[6])
        .join('')
        .slice(8, -8),
      /^(#\.)*#$/,
    )
    assert.equal(rows.at(-8)?.[8], '#', 'the module that is always dark')
    const [format, copy] = formatsOf(matrix)
    assert.ok(FORMATS.includes(format), format)
    assert.equal(copy, format)
  }
  // Version 7, as in annex D of the standard.
  const seven = qr('x'.repeat(107))
  assert.equal(seven.length, 45)
  const bits = Array.from({ length: 18 }, (_, index) => bitAt(seven, 34 + (index % 3), Math.floor(index / 3)))
  assert.equal(bits.reverse().join(''), '000111110010010100')
})

test('the version grows with the text, up to 666 bytes', () => {
  // The capacities of the standard in byte mode at level M.
  for (const [bytes, version] of [
    [14, 1],
    [15, 2],
    [62, 4],
    [122, 7],
    [180, 9],
    [213, 10],
    [666, 20],
  ] as const)
    assert.equal(qr('x'.repeat(bytes)).length, version * 4 + 17, `${bytes} bytes`)
  assert.equal(encodeQr('x'.repeat(667)), null)
  assert.equal(encodeQr('ने'.repeat(112)), null, 'bytes count, not characters')
})

test('a symbol of one block is read back from its modules', () => {
  for (const text of ['otpauth://', 'हुलाकी', 'a'.repeat(42)]) assert.equal(readBack(qr(text)), text)
})

/** Reads versions 1 to 3, which have one block: removes the mask and follows the columns. */
function readBack(matrix: Matrix): string {
  const size = matrix.length
  const mask = FORMATS.indexOf(formatsOf(matrix)[0])
  const isMasked = (x: number, y: number) =>
    [
      (x + y) % 2,
      y % 2,
      x % 3,
      (x + y) % 3,
      (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
      ((x * y) % 2) + ((x * y) % 3),
      (((x * y) % 2) + ((x * y) % 3)) % 2,
      (((x + y) % 2) + ((x * y) % 3)) % 2,
    ][mask] === 0
  const isData = (x: number, y: number) => {
    const isCorner = (x < 9 && y < 9) || (x < 9 && y >= size - 8) || (x >= size - 8 && y < 9)
    const isAlignment = size > 21 && Math.abs(x - (size - 7)) <= 2 && Math.abs(y - (size - 7)) <= 2
    return !isCorner && !isAlignment && x !== 6 && y !== 6
  }
  const pairs = Array.from(
    { length: (size - 1) / 2 },
    (_, index) => size - 1 - index * 2 - (index * 2 >= size - 7 ? 1 : 0),
  )
  const bits = pairs.flatMap((right, index) =>
    Array.from({ length: size }, (_, step) => (index % 2 === 0 ? size - 1 - step : step)).flatMap((y) =>
      [right, right - 1].filter((x) => isData(x, y)).map((x) => (matrix[y]?.[x] === true) !== isMasked(x, y)),
    ),
  )
  const numberAt = (from: number, length: number) =>
    bits.slice(from, from + length).reduce((value, bit) => value * 2 + (bit ? 1 : 0), 0)
  assert.equal(numberAt(0, 4), 4, 'byte mode')
  const bytes = Array.from({ length: numberAt(4, 8) }, (_, index) => numberAt(12 + index * 8, 8))
  return new TextDecoder().decode(Uint8Array.from(bytes))
}

test('the path has a square for every dark module', () => {
  const matrix = qr('Hulaki')
  assert.equal(pathOf(matrix).split('M').length - 1, matrix.flat().filter(Boolean).length)
  assert.ok(pathOf(matrix).startsWith('M0 0h1v1h-1z'))
})
