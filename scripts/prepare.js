// Installs what is missing before `npm start` and `npm test`; plain JavaScript that any Node from 18 up can run.
// Up to date means: node_modules carries the very lock file of this checkout, with what is asked for, and this platform's Node is there.
// `--production`, for a start, leaves out what only the development needs; what is there with it is good for a start too.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const lockFile = join(root, 'package-lock.json')
const isForDevelopment = !process.argv.includes('--production')
const installedLocks = {
  whole: join(root, 'node_modules', '.hulaki-installed-lock.json'),
  production: join(root, 'node_modules', '.hulaki-installed-production-lock.json'),
}
const pinnedNode = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')

function isUpToDate() {
  const enough = isForDevelopment ? [installedLocks.whole] : [installedLocks.whole, installedLocks.production]
  return existsSync(pinnedNode) && enough.some((mark) => existsSync(mark) && isSame(lockFile, mark))
}

function isSame(one, other) {
  return readFileSync(one).equals(readFileSync(other))
}

function fail(sentence) {
  console.error(`hulaki: ${sentence}`)
  process.exit(1)
}

if (!isUpToDate()) {
  console.log('hulaki: installing what is missing (once; about half a minute) ...')
  // npm hands its own program on, so the install runs with the npm that was called, whatever PATH says.
  const npmProgram = process.env.npm_execpath
  const command = npmProgram ? process.execPath : 'npm'
  const args = [
    ...(npmProgram ? [npmProgram] : []),
    'ci',
    // No program of a package runs while it is installed: none of ours needs to.
    '--ignore-scripts',
    isForDevelopment ? '--include=dev' : '--omit=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  const install = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: !npmProgram && process.platform === 'win32',
  })
  if (install.status !== 0) fail('npm could not install the dependencies; its words are above')
  if (!existsSync(pinnedNode)) fail(`there is no bundled Node for ${process.platform} on ${process.arch}`)
  // npm has emptied the folder, marks and all.
  copyFileSync(lockFile, isForDevelopment ? installedLocks.whole : installedLocks.production)
}
