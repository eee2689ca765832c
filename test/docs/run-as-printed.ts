// A page, run as it is printed: one test, one reader, one service.
import { test } from 'node:test'
import { blocksOf } from './blocks.ts'
import { Reader } from './reader.ts'

const RUN = ['sh', 'ts', 'js', 'python', 'php', 'json']

/** PAGE=webhooks runs those pages alone whose path has it. */
export function runAsPrinted(file: string): void {
  const blocks = blocksOf(file).filter(({ language, marker }) => RUN.includes(language) && marker?.kind !== 'not run')
  if (blocks.length === 0 || !file.includes(process.env.PAGE ?? '')) return
  test(`${file}: ${blocks.length} blocks do what the page says`, async () => {
    const reader = new Reader(file)
    await reader.begin()
    for (const block of blocks) await reader.do(block)
    await reader.end()
  })
}
