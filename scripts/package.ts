// `npm run package -- [platform] [folder]`: writes dist/hulaki-<version>-<platform>.tar.gz, which runs without npm and network. The same
// commit gives the same bytes: packages come from the lock file, times from the commit, and the order from the names.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { scratchFolder } from './scratch-folder.ts'

const ROOT = join(import.meta.dirname, '..')
const PLATFORMS = ['linux-x64', 'linux-arm64']
/** What the service, its console, its documentation and its deployment use. */
const CONTENTS = [
  'bin',
  'deploy',
  'docs',
  'src',
  'ui',
  'scripts/prepare.js',
  ':(glob)*.md',
  ':(glob)package*.json',
  '.env.example',
  'LICENSE',
]

const [platform = `${process.platform}-${process.arch}`, folder = join(ROOT, 'dist')] = process.argv.slice(2)
if (!PLATFORMS.includes(platform)) {
  console.error(`hulaki: the platform must be ${PLATFORMS.join(' or ')}, not ${platform}`)
  process.exit(1)
}
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
const name = `hulaki-${version}-${platform}`
const work = scratchFolder('hulaki-package')
try {
  const tree = join(work, name)
  copyContents(tree)
  installPackages(tree, platform)
  await linkPostgres(tree, platform)
  const archive = pack(work, name)
  const bytes = readFileSync(archive)
  const checksum = createHash('sha256').update(bytes).digest('hex')
  writeFileSync(`${archive}.sha256`, `${checksum}  ${name}.tar.gz\n`)
  console.log(`${archive}\n${(bytes.length / 1e6).toFixed(1)} MB, SHA-256 ${checksum}`)
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** Only files of the repository: no data, no .env. */
function copyContents(tree: string): void {
  const listed = git('ls-files', '-z', '--', ...CONTENTS)
  for (const file of listed.split('\0').filter(Boolean)) cpSync(join(ROOT, file), join(tree, file))
}

/** npm checks every package against the lock file. It runs no install scripts, because no package needs one. */
function installPackages(tree: string, target: string): void {
  const [os = '', cpu = ''] = target.split('-')
  const options = ['--omit=dev', '--include=optional', `--os=${os}`, `--cpu=${cpu}`, '--libc=glibc']
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  execFileSync('npm', ['ci', ...options, ...quiet], { cwd: tree, stdio: ['ignore', 'ignore', 'inherit'] })
  // Headers for building extensions: a third of the size, and no package is built.
  rmSync(join(tree, 'node_modules', `node-${target}`, 'include'), { recursive: true, force: true })
  // `npm start` in the unpacked folder then installs nothing.
  copyFileSync(join(tree, 'package-lock.json'), join(tree, 'node_modules', '.hulaki-installed-production-lock.json'))
}

/** Restores the links that npm removed, as the first start would; it may not write there. */
async function linkPostgres(tree: string, target: string): Promise<void> {
  const file = join(tree, 'src', 'store', 'database', 'bundled-postgres', 'programs.ts')
  const { findPrograms } = (await import(
    pathToFileURL(file).href
  )) as typeof import('../src/store/database/bundled-postgres/programs.ts')
  await findPrograms(undefined, target)
}

function pack(from: string, content: string): string {
  const time = git('log', '-1', '--format=%ct').trim()
  const same = ['--sort=name', `--mtime=@${time}`, '--owner=0', '--group=0', '--numeric-owner', '--format=gnu']
  const tar = join(from, `${content}.tar`)
  execFileSync('tar', [...same, '--mode=u+rwX,go+rX,go-w', '-C', from, '-cf', tar, content])
  execFileSync('gzip', ['--no-name', tar])
  mkdirSync(folder, { recursive: true })
  const archive = resolve(folder, `${content}.tar.gz`)
  // Renamed at the end, so that an archive is never half-written.
  copyFileSync(`${tar}.gz`, `${archive}.new`)
  renameSync(`${archive}.new`, archive)
  return archive
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 })
}
