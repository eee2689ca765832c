// The messages between the runner and its shards.

export interface TestFailure {
  /** The suites and the test, outermost first; empty if the file itself failed. */
  path: string[]
  text: string
}

export interface FileResult {
  file: string
  passed: number
  skipped: { path: string[]; reason: string }[]
  failures: TestFailure[]
  tests: { path: string[]; ms: number }[]
  /** The diagnostics of its tests. */
  notes: string[]
  wallMs: number
  cpuMs: number
}

export type ToShard = { kind: 'run'; file: string } | { kind: 'end' }

/** `isSpent`: the last file left something behind, so the shard must not run another. */
export type FromShard = { kind: 'ready' } | { kind: 'result'; result: FileResult; isSpent: boolean }
