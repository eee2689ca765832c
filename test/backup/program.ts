// Runs bin/hulaki on a data folder or a database.
import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { scratchFolder } from '../../scripts/scratch-folder.ts'
import { CHECKOUT } from '../harness/process.ts'

export interface Ended {
  code: number | null
  out: string
  err: string
}

/** A program in its own process group. */
export function startHulaki(words: string[], env: Record<string, string>) {
  return start(`${CHECKOUT}/bin/hulaki`, words, { env })
}

function start(program: string, words: string[], { env, cwd }: { env: Record<string, string>; cwd?: string }) {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(program, words, {
    ...{ cwd, env: { PATH, NODE_COMPILE_CACHE, ...env } },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  after(kill)
  const ended: Ended = { code: null, out: '', err: '' }
  child.stdout.on('data', (text) => {
    ended.out += text
  })
  child.stderr.on('data', (text) => {
    ended.err += text
  })
  const end = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ ...ended, code })))
  return { kill, end }
}

export function hulaki(words: string[], env: Record<string, string>): Promise<Ended> {
  return startHulaki(words, env).end
}

/** A printed command, in a folder with these files and with bin/hulaki. */
export function runPrinted(
  command: string,
  { files, env }: { files: Record<string, string>; env: Record<string, string> },
): Promise<Ended> {
  const cwd = scratchFolder('hulaki-printed')
  after(() => rmSync(cwd, { recursive: true, force: true }))
  mkdirSync(join(cwd, 'bin'))
  symlinkSync(join(CHECKOUT, 'bin', 'hulaki'), join(cwd, 'bin', 'hulaki'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  return start('sh', ['-ec', command], { env, cwd }).end
}
