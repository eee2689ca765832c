// Compiles src to dist before `npm pack`; plain JavaScript that any Node from 18 up can run. What `npm start` installs has no compiler:
// then npm fetches the very one of the checkout into its cache, and neither the checkout nor a service that runs from it is touched.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = dirname(fileURLToPath(import.meta.url))

function installedCompiler() {
  try {
    const file = createRequire(import.meta.url).resolve('typescript/package.json')
    return join(dirname(file), JSON.parse(readFileSync(file, 'utf8')).bin.tsc)
  } catch {
    return undefined
  }
}

function run(program, args, shell = false) {
  // Standard output belongs to `npm pack`: a caller reads the file's name there.
  return spawnSync(program, args, { cwd: folder, stdio: ['ignore', 2, 2], shell }).status === 0
}

function fetchAndRun() {
  const { devDependencies } = JSON.parse(readFileSync(join(folder, '..', 'package.json'), 'utf8'))
  console.error('hulaki: no compiler is installed; npm fetches one for this once ...')
  const args = ['exec', '--yes', `--package=typescript@${devDependencies.typescript}`, '--', 'tsc', '-p', '.']
  const npmProgram = process.env.npm_execpath
  return npmProgram ? run(process.execPath, [npmProgram, ...args]) : run('npm', args, process.platform === 'win32')
}

rmSync(join(folder, 'dist'), { recursive: true, force: true })
const compiler = installedCompiler()
if (!(compiler ? run(process.execPath, [compiler, '-p', '.']) : fetchAndRun())) {
  console.error(
    compiler
      ? 'hulaki: the compiler found faults; its words are above'
      : 'hulaki: no compiler could be fetched. Stop Hulaki, run `node scripts/prepare.js` in its checkout, and pack again',
  )
  process.exit(1)
}
