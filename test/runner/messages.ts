// What the runner and its shards send each other.

export interface TestFailure {
  /** The test and the suites around it, outermost first; empty where the file itself failed. */
  path: string[]
  text: string
}

export interface FileResult {
  file: string
  passed: number
  skipped: { path: string[]; reason: string }[]
  failures: TestFailure[]
  tests: { path: string[]; ms: number }[]
  wallMs: number
  cpuMs: number
}

export type ToShard = { kind: 'run'; file: string } | { kind: 'end' }

/** A shard that must not run another file, because the last one left something behind, says `isSpent`. */
export type FromShard = { kind: 'ready' } | { kind: 'result'; result: FileResult; isSpent: boolean }
