// The code of the previous release, checked out next to this one.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { CHECKOUT } from '../harness/process.ts'

/** Until the first tag: the first commit after which the name of every new migration ends in `_online`. */
const BEFORE_TAGS = readFileSync(new URL('previous-release', import.meta.url), 'utf8').trim()

function git(...words: string[]): string | null {
  const { status, stdout } = spawnSync('git', words, { cwd: CHECKOUT, encoding: 'utf8', maxBuffer: 100_000_000 })
  return status === 0 ? stdout.trim() : null
}

/** The newest tag before this commit. */
export const PREVIOUS_RELEASE = git('describe', '--tags', '--abbrev=0', 'HEAD^') ?? BEFORE_TAGS

/** Why the code cannot run here, or false. */
export function missingReason(): string | false {
  if (git('rev-parse', '--verify', `${PREVIOUS_RELEASE}^{commit}`) === null)
    return 'the history does not contain the previous release; a shallow clone has no older commits'
  const lock = git('show', `${PREVIOUS_RELEASE}:package-lock.json`)
  const current = readFileSync(join(CHECKOUT, 'package-lock.json'), 'utf8')
  if (lock === null || !isDeepStrictEqual(dependenciesIn(lock), dependenciesIn(current)))
    return 'the previous release has other dependencies'
  return false
}

interface LockFile {
  packages: Record<string, { version?: string; integrity?: string; dev?: boolean }>
}

/** The packages of production. */
function dependenciesIn(lockText: string): string[] {
  const { packages }: LockFile = JSON.parse(lockText)
  return Object.entries(packages)
    .filter(([path, { dev }]) => path.startsWith('node_modules/') && !dev)
    .map(([path, { version, integrity }]) => `${path} ${version} ${integrity}`)
}

/** The names of the migrations of the previous release. */
export function listReleasedMigrations(): string[] | null {
  const files = git('ls-tree', '--name-only', `${PREVIOUS_RELEASE}:src/store/database/migrations`)
  return files?.split('\n') ?? null
}

/** A folder with its code and the packages of this checkout. Call `remove` at the end. */
export function checkOutPreviousRelease(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'hulaki previous-'))
  const archive = execFileSync('git', ['archive', PREVIOUS_RELEASE], { cwd: CHECKOUT, maxBuffer: 500_000_000 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
