// Selects and orders the test files of a command line.
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Imports } from './imports.ts'

/** Tests that import this file use PostgreSQL. */
const DATABASE = 'test/harness/server.ts'
const UNIT = 'unit'
const STARTS_PROGRAMS = "from 'node:child_process'"

export interface Selection {
  /** Run in parallel by all shards. */
  files: string[]
  /** Timed tests run alone, after the others. */
  timed: string[]
  needsDatabase: boolean
}

/** Named suites of long files, with default environment variables. */
interface Suite {
  files: readonly string[]
  env: Record<string, string>
}

export const SUITES: Record<string, Suite> = {
  crash: {
    files: [
      'test/delivery/crash.long.test.ts',
      'test/delivery/crash-workers.long.test.ts',
      'test/delivery/http-crash.long.test.ts',
      'test/delivery/http-polls-crash.long.test.ts',
      'test/webhooks/crash.long.test.ts',
      'test/crash/crash.long.test.ts',
    ],
    env: { CRASH_ROUNDS: '50', TEST_FILE_SILENCE_MS: '3600000' },
  },
  restarts: {
    files: ['test/start/rolling.long.test.ts', 'test/start/workers.long.test.ts'],
    env: { RESTARTS: '20', KILLS: '20' },
  },
  fresh: { files: ['test/start/fresh-clone.long.timed.test.ts'], env: { FRESH_CLONE: '1' } },
}

/** `words` are files, folders, suites, or `unit`; no words: all long files with `isLong`, else all others. */
export function selectFiles(root: string, words: readonly string[], { isLong }: { isLong: boolean }): Selection {
  const all = globSync('test/**/*.test.ts', { cwd: root }).map((file) => file.replaceAll('\\', '/'))
  const usual = all.filter((file) => isLongFile(file) === isLong)
  const chosen = words.length === 0 ? usual : words.flatMap((word) => filesOf(root, word, { all, usual }))
  const unique = [...new Set(chosen)]
  return {
    files: unique.filter((file) => !isTimed(file)),
    timed: unique.filter(isTimed),
    needsDatabase: words.some((word) => word !== UNIT) || words.length === 0,
  }
}

function filesOf(root: string, word: string, { all, usual }: { all: string[]; usual: string[] }): string[] {
  if (word === UNIT) return unitFiles(root, usual)
  const suite = SUITES[word]
  if (suite !== undefined) return suite.files.flatMap((file) => filesOf(root, file, { all, usual }))
  const name = word.replace(/^\.\//, '').replace(/\/$/, '')
  if (all.includes(name)) return [name]
  const inside = usual.filter((file) => file.startsWith(`${name}/`))
  if (inside.length === 0) throw new UnknownTests(word, all)
  return inside
}

/** Suggests files whose path contains the last part of the unknown name. */
export class UnknownTests extends Error {
  constructor(word: string, all: readonly string[]) {
    const name = word.split('/').at(-1)?.split('.')[0] ?? ''
    const similar = name === '' ? [] : all.filter((file) => file.includes(name)).slice(0, 5)
    const hint = similar.length > 0 ? ` Similar files: ${similar.join(', ')}` : ''
    super(`No test file or folder is called ${word}.${hint}`)
  }
}

function unitFiles(root: string, files: readonly string[]): string[] {
  const imports = new Imports(root)
  return files.filter((file) => {
    const reached = imports.reachedFrom(file)
    const own = [...reached].filter((it) => it.startsWith('test/'))
    return !reached.has(DATABASE) && !own.some((it) => readFileSync(join(root, it), 'utf8').includes(STARTS_PROGRAMS))
  })
}

export const isLongFile = (file: string) => file.includes('.long.')
const isTimed = (file: string) => file.endsWith('.timed.test.ts')

/** The last duration of each file, so that the longest start first. */
export class Durations {
  readonly #path: string
  readonly #root: string
  readonly #ms: Record<string, number>

  constructor(root: string) {
    this.#root = root
    this.#path = join(root, 'node_modules', '.cache', 'test-durations.json')
    this.#ms = readJson(this.#path)
  }

  longestFirst(files: readonly string[]): string[] {
    return files.toSorted((one, other) => this.#expected(other) - this.#expected(one))
  }

  set(file: string, ms: number): void {
    this.#ms[file] = Math.round(ms)
  }

  save(): void {
    writeFileSync(this.#path, JSON.stringify(this.#ms))
  }

  /** The duration of a file that never ran is estimated from its size. */
  #expected(file: string): number {
    return this.#ms[file] ?? statSync(join(this.#root, file)).size / 4
  }
}

function readJson(path: string): Record<string, number> {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}
