// Installs missing packages before `npm start` and `npm test`, in plain JavaScript for Node 18 and later. `--production` leaves out
// development packages. An installation is current if node_modules has the lock file of this checkout and the Node of this platform.
// npm empties node_modules first, so nothing is installed while a service runs from this checkout.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
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
  const sufficient = isForDevelopment ? [installedLocks.whole] : [installedLocks.whole, installedLocks.production]
  return existsSync(pinnedNode) && sufficient.some((lock) => existsSync(lock) && isSame(lockFile, lock))
}

function isSame(one, other) {
  return readFileSync(one).equals(readFileSync(other))
}

/** Only Linux lists processes with their arguments, and only those of the same user. */
function findRunningService() {
  if (!existsSync('/proc/self/cmdline')) return undefined
  return readdirSync('/proc').find((pid) => /^\d+$/.test(pid) && isServiceOfCheckout(pid))
}

function isServiceOfCheckout(pid) {
  try {
    // An editor may have the file as an argument too.
    if (!basename(readlinkSync(`/proc/${pid}/exe`)).startsWith('node')) return false
    const program = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      .split('\0')
      .find((word) => word.endsWith('main.ts'))
    if (program === undefined) return false
    return (
      realpathSync(resolve(readlinkSync(`/proc/${pid}/cwd`), program)) === realpathSync(join(root, 'src', 'main.ts'))
    )
  } catch {
    return false
  }
}

function fail(message) {
  console.error(`hulaki: ${message}`)
  process.exit(1)
}

if (!isUpToDate()) {
  const service = findRunningService()
  if (service !== undefined)
    fail(
      `process ${service} is a service that runs from this checkout, and an installation would delete its packages; stop it first, or use another checkout`,
    )
  console.log('hulaki: installing packages (once; about half a minute) ...')
  // Uses the npm that was called, independent of PATH.
  const npmProgram = process.env.npm_execpath
  const command = npmProgram ? process.execPath : 'npm'
  const args = [
    ...(npmProgram ? [npmProgram] : []),
    'ci',
    // No package needs an install script, so none runs.
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
  if (install.status !== 0) fail('npm failed to install the packages; see the output above')
  if (!existsSync(pinnedNode)) fail(`no bundled Node for ${process.platform} on ${process.arch}`)
  // npm empties the folder, so the lock is written afterwards.
  copyFileSync(lockFile, isForDevelopment ? installedLocks.whole : installedLocks.production)
}
