// `npm test`: type check, Biome, then every test against one bundled PostgreSQL. `npm test -- <file>` runs one file.
import { spawn } from 'node:child_process'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { REFUSALS } from '../src/domain/refusals.ts'
import { openTestServer } from '../test/harness/server.ts'
import { spillsIn } from '../test/harness/spills.ts'
import { scratchFolder } from './scratch-folder.ts'

const root = join(import.meta.dirname, '..')
const bin = (name: string) => join(root, 'node_modules', '.bin', name)
const asked = process.argv.slice(2)

process.exitCode = await main()

async function main(): Promise<number> {
  if (asked.length === 0) {
    const checks = await Promise.all([
      run(bin('tsc'), ['--noEmit']),
      run(bin('tsc'), ['--noEmit', '-p', 'ui']),
      run(bin('tsc'), ['--noEmit', '-p', 'sdk']),
      run(bin('tsc'), ['--noEmit', '-p', 'examples']),
      run(bin('biome'), ['check', '--error-on-warnings']),
    ])
    if (checks.some((code) => code !== 0)) return 1
  }
  const folder = scratchFolder('hulaki-test')
  const server = await openTestServer(folder)
  const files = asked.length > 0 ? asked : globSync('test/**/*.test.ts', { cwd: root }).sort()
  const env = {
    TEST_DATABASE_SERVER: JSON.stringify(server.connection),
    TEST_RUN_FOLDER: folder,
    // Every file is a process: what one has compiled, the others and the next run need not.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
  }
  const code = await runTests(files, env)
  const silent = asked.length === 0 && code === 0 ? neverProvoked(folder) : []
  for (const refusal of silent) console.error(`no test provokes the code ${refusal} over HTTP`)
  const { spills, logs } = spillsIn(folder)
  for (const spill of spills) console.error(spill)
  if (asked.length === 0 && logs === 0) spills.push('no log was kept')
  const leaks = await server.leaks()
  for (const leak of leaks) console.error(`left behind: ${leak}`)
  await server.close()
  // The cluster of a failed run stays, with the databases of the files that failed, for whoever looks into it.
  if (code === 0) rmSync(folder, { recursive: true, force: true })
  else console.error(`The databases of the failed files are kept in ${folder}.`)
  return code !== 0 || leaks.length > 0 || silent.length > 0 || spills.length > 0 ? 1 : 0
}

/** Every code of §7 must have been answered to some test of the run. */
function neverProvoked(folder: string): string[] {
  const provoked = new Set(readFileSync(join(folder, 'provoked-codes'), 'utf8').split('\n'))
  return Object.keys(REFUSALS).filter((code) => !provoked.has(code))
}

async function runTests(files: string[], env: Record<string, string>): Promise<number> {
  const flags = ['--test', '--test-concurrency=3', '--test-timeout=120000', '--import=./test/harness/must-end.ts']
  return run(process.execPath, [...flags, ...files], env)
}

function run(command: string, args: string[], env: Record<string, string> = {}): Promise<number> {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
  return new Promise((resolve) => {
    child.on('error', () => resolve(1))
    child.on('exit', (code) => resolve(code ?? 1))
  })
}
