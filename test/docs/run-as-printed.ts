// Runs one page as printed: one test, one reader, one service.
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { type Block, blocksOf, isRunAsPrinted, PROGRAMS, programsIn } from './blocks.ts'
import { Reader } from './reader.ts'

const RUN = ['sh', 'ts', 'js', 'python', 'php', 'json']

const isInstalled = new Map<string, boolean>()

/** PAGE=webhooks runs only the pages whose path contains it. */
export function runAsPrinted(file: string): void {
  const blocks = blocksOf(file).filter(
    (block) => block.marker?.kind === 'saved' || (RUN.includes(block.language) && isRunAsPrinted(block)),
  )
  if (blocks.length === 0 || !file.includes(process.env.PAGE ?? '')) return
  test(`${file}: runs ${blocks.length} blocks as printed`, async (t) => {
    const reader = new Reader(file)
    await reader.begin()
    for (const block of blocks) {
      const missing = missingProgram(block)
      if (missing === undefined) {
        await reader.do(block)
      } else {
        reader.leaveOut()
        await t.test(`the block at line ${block.line}`, { skip: `${missing} is not installed` }, () => {})
      }
    }
    await reader.end()
  })
}

function missingProgram({ language, text }: Block): string | undefined {
  const called = language === 'sh' ? programsIn(text) : []
  return called.find((program) => PROGRAMS.includes(program) && !canRun(program))
}

function canRun(program: string): boolean {
  return isInstalled.getOrInsertComputed(program, () => !spawnSync(program, ['--version'], { stdio: 'ignore' }).error)
}
