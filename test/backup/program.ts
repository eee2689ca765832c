// Runs bin/hulaki on a data folder or a database.
import { spawn } from 'node:child_process'
import { after } from 'node:test'
import { CHECKOUT } from '../harness/process.ts'

export interface Ended {
  code: number | null
  out: string
  err: string
}

/** A program in its own process group. */
export function startHulaki(words: string[], env: Record<string, string>) {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(`${CHECKOUT}/bin/hulaki`, words, {
    env: { PATH, NODE_COMPILE_CACHE, ...env },
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
