// Runs the printed commands of a page: in a clone of the checkout, or inside of a machine or of namespaces.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import { scratchFolder } from '../../scripts/scratch-folder.ts'
import { CHECKOUT } from '../harness/process.ts'

/** The reason to skip a test, or false. */
export function missing(...programs: readonly string[]): string | false {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'requires root on Linux'
  const lacking = programs.filter((it) => spawnSync('sh', ['-c', `command -v ${it}`]).status !== 0)
  return lacking.length > 0 && `${lacking.join(', ')} not installed`
}

/** A folder for trees of Debian, or '' if the test is skipped. Its removal never enters what may still be mounted there. */
export function folderOfTrees(name: string, skip: string | false): string {
  if (skip !== false) return ''
  const folder = scratchFolder(name)
  after(() => execFileSync('rm', ['-rf', '--one-file-system', folder]))
  return folder
}

/** A new clone without packages. */
export function cloneCheckout(folder: string): string {
  const clone = join(folder, 'clone')
  execFileSync('git', ['clone', '--quiet', CHECKOUT, clone])
  return clone
}

/** Without the Node of the checkout, because a clone brings its own. */
export function pathOfMachine(): string {
  const folders = (process.env.PATH ?? '').split(':')
  return folders.filter((it) => !it.includes('node_modules')).join(':')
}

export interface Shell {
  /** A command that runs the shell, such as nsenter. */
  within?: readonly string[]
  cwd?: string
  env?: NodeJS.ProcessEnv
}

export interface Ran {
  code: number
  output: string
}

/** A command that fails ends the script. */
export async function tryScript(script: string, { within = [], cwd, env }: Shell): Promise<Ran> {
  const [program = '', ...args] = [...within, 'bash', '-eo', 'pipefail', '-c', script]
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, output: stdout + stderr }
}

/** Returns what the script printed. */
export async function runScript(script: string, shell: Shell): Promise<string> {
  assert.notEqual(script, '', 'the page has no such block')
  const { code, output } = await tryScript(script, shell)
  assert.equal(code, 0, `${script}\n${output}`)
  return output
}
