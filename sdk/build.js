// Compiles src to dist before `npm pack`, on Node 18 and later. Without an installed compiler (`npm start` installs none), npm fetches
// the version of package.json into its cache, and the checkout stays unchanged.
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
  // Standard output is for `npm pack`, which prints the file name there.
  return spawnSync(program, args, { cwd: folder, stdio: ['ignore', 2, 2], shell }).status === 0
}

function fetchAndRun() {
  const { devDependencies } = JSON.parse(readFileSync(join(folder, '..', 'package.json'), 'utf8'))
  console.error('hulaki: TypeScript is not installed; fetching it with npm ...')
  const args = ['exec', '--yes', `--package=typescript@${devDependencies.typescript}`, '--', 'tsc', '-p', '.']
  const npmProgram = process.env.npm_execpath
  return npmProgram ? run(process.execPath, [npmProgram, ...args]) : run('npm', args, process.platform === 'win32')
}

rmSync(join(folder, 'dist'), { recursive: true, force: true })
const compiler = installedCompiler()
if (!(compiler ? run(process.execPath, [compiler, '-p', '.']) : fetchAndRun())) {
  console.error(
    compiler
      ? 'hulaki: compilation failed; see the errors above'
      : 'hulaki: could not fetch TypeScript. Stop Hulaki, run `node scripts/prepare.js` in its checkout, and pack again',
  )
  process.exit(1)
}
