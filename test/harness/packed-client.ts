// The client package as whoever uses it has it: packed by npm, and installed into an empty folder without a network.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { CHECKOUT } from './process.ts'

const run = promisify(execFile)
const BIN = join(CHECKOUT, 'node_modules', '.bin')

/** Also of programs that npm starts: the project's own Node and tsc. */
export const withBin = (env: Record<string, string> = {}) => ({
  ...process.env,
  ...env,
  PATH: `${BIN}${delimiter}${process.env.PATH}`,
})

export interface InstalledClient {
  /** A project that has the package and nothing else. */
  folder: string
  /** What the archive held, without `package/`. */
  packed: string[]
}

export async function installClient(): Promise<InstalledClient> {
  const scratch = mkdtempSync(join(tmpdir(), 'hulaki-client-'))
  after(() => rmSync(scratch, { recursive: true, force: true }))
  // Not in the checkout: other tests read it meanwhile.
  const copied = join(scratch, 'checkout', 'sdk')
  const sources = /[\\/]sdk([\\/](src([\\/].*)?|build\.js|package\.json|tsconfig\.json|README\.md|LICENSE))?$/
  cpSync(join(CHECKOUT, 'sdk'), copied, { recursive: true, filter: (from) => sources.test(from) })
  // The compiler that packing calls.
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

/** What the compiler says to files of the project, a line for each fault. */
export async function compile(folder: string, name: string, options: object, files: string[]): Promise<string[]> {
  const config = { compilerOptions: { strict: true, noEmit: true, target: 'es2022', ...options }, files }
  writeFileSync(join(folder, name), JSON.stringify(config))
  const said = await run(join(BIN, 'tsc'), ['-p', name, '--pretty', 'false'], { cwd: folder }).catch(
    (fault: { stdout: string }) => fault,
  )
  return said.stdout
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith(' '))
    .map((line) => line.trim())
}
