// The SDK as its users get it: packed by npm and installed offline into an empty folder.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { CHECKOUT } from './process.ts'

const run = promisify(execFile)
const BIN = join(CHECKOUT, 'node_modules', '.bin')

/** The PATH includes the project's Node and tsc for npm. */
export const withBin = (env: Record<string, string> = {}) => ({
  ...process.env,
  ...env,
  PATH: `${BIN}${delimiter}${process.env.PATH}`,
})

interface InstalledClient {
  /** A project with only this package. */
  folder: string
  /** The files of the archive, without `package/`. */
  packed: string[]
}

export async function installClient(): Promise<InstalledClient> {
  const scratch = mkdtempSync(join(tmpdir(), 'hulaki-client-'))
  after(() => rmSync(scratch, { recursive: true, force: true }))
  // In a copy, because other tests read the checkout.
  const copied = join(scratch, 'checkout', 'sdk')
  const sources = /[\\/]sdk([\\/](src([\\/].*)?|build\.js|package\.json|tsconfig\.json|README\.md|LICENSE))?$/
  cpSync(join(CHECKOUT, 'sdk'), copied, { recursive: true, filter: (from) => sources.test(from) })
  // The compiler that npm pack runs.
  symlinkSync(join(CHECKOUT, 'node_modules'), join(scratch, 'checkout', 'node_modules'))
  await run('npm', ['pack', '--pack-destination', scratch], { cwd: copied, env: withBin() })
  const archive = readdirSync(scratch).find((name) => name.endsWith('.tgz')) ?? 'no archive'
  const folder = join(scratch, 'project')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }))
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(scratch, archive)], {
    cwd: folder,
    env: withBin(),
  })
  const { stdout } = await run('tar', ['-tzf', join(scratch, archive)])
  const packed = stdout.trim().split('\n')
  return { folder, packed: packed.map((name) => name.replace('package/', '')).toSorted() }
}

/** The errors of the compiler, one per line. */
export async function compile(folder: string, name: string, options: object, files: string[]): Promise<string[]> {
  const config = { compilerOptions: { strict: true, noEmit: true, target: 'es2022', ...options }, files }
  writeFileSync(join(folder, name), JSON.stringify(config))
  const printed = await run(join(BIN, 'tsc'), ['-p', name, '--pretty', 'false'], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  )
  return printed.stdout
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith(' '))
    .map((line) => line.trim())
}
