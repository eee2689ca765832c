// Prints the results of a run: a line per file, then failures, skips, slowest tests and a summary.
import type { FileResult } from './messages.ts'
import { isLongFile } from './selection.ts'
import type { ShardInfo } from './shards.ts'

const SLOWEST = 10

export class Report {
  readonly #results: (FileResult & { shard: number })[] = []
  readonly #total: number
  readonly #print: (line: string) => void

  constructor(total: number, print: (line: string) => void) {
    this.#total = total
    this.#print = print
  }

  add(result: FileResult, { number, output }: ShardInfo): void {
    this.#results.push({ ...result, shard: number })
    const isGood = result.failures.length === 0
    const counts = [`${result.passed} passed`]
    if (result.skipped.length > 0) counts.push(`${result.skipped.length} skipped`)
    if (!isGood) counts.push(`${result.failures.length} FAILED`)
    const progress = `${this.#results.length}/${this.#total}`.padStart(7)
    const seconds = `${(result.wallMs / 1_000).toFixed(1)} s`.padStart(7)
    const cpu = `${(result.cpuMs / 1_000).toFixed(1)} s CPU`.padStart(11)
    this.#print(
      `${progress} ${seconds} ${cpu} shard ${number}  ${isGood ? 'ok  ' : 'FAIL'} ${result.file} (${counts.join(', ')})`,
    )
    // The figures of a long test are part of its result.
    if (isLongFile(result.file)) for (const note of result.notes) this.#print(indented(note))
    if (isGood) return
    for (const { path, text } of result.failures) {
      this.#print(`  ✖ ${path.join(' > ') || result.file}`)
      this.#print(indented(text))
    }
    if (output.trim() !== '') this.#print(`  output of ${result.file}:\n${indented(output.trimEnd())}`)
  }

  get isSuccess(): boolean {
    return this.#results.length === this.#total && this.#results.every(({ failures }) => failures.length === 0)
  }

  /** Prints the summary. */
  close({ wallMs, cpu, seed }: { wallMs: number; cpu: string; seed: string }): void {
    const tests = this.#results.flatMap(({ file, tests }) => tests.map((test) => ({ file, ...test })))
    const skipped = this.#results.flatMap(({ file, skipped }) => skipped.map((skip) => ({ file, ...skip })))
    const failed = this.#results.filter(({ failures }) => failures.length > 0)
    if (this.#results.length > 1) {
      this.#print('\nSlowest files:')
      for (const { file, wallMs, cpuMs } of this.#results.toSorted((a, b) => b.wallMs - a.wallMs).slice(0, SLOWEST))
        this.#print(`${(wallMs / 1_000).toFixed(1).padStart(7)} s (${(cpuMs / 1_000).toFixed(1)} s CPU) ${file}`)
      this.#print('Slowest tests:')
      for (const { file, path, ms } of tests.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST))
        this.#print(`${(ms / 1_000).toFixed(1).padStart(7)} s ${file}: ${path.join(' > ')}`)
    }
    if (skipped.length > 0) this.#print('\nSkipped:')
    for (const { file, path, reason } of skipped)
      this.#print(`  ${file}: ${path.join(' > ')}${reason && `: ${reason}`}`)
    if (failed.length > 0) this.#print('\nFailed:')
    for (const { file, shard, failures } of failed) {
      for (const { path } of failures) this.#print(`  ${file}${path.length > 0 ? `: ${path.join(' > ')}` : ''}`)
      const before = this.#results.filter((other) => other.shard === shard).map((other) => other.file)
      this.#print(
        `    shard ${shard} had run: ${before.slice(0, before.indexOf(file)).slice(-3).join(', ') || 'nothing'}`,
      )
      this.#print(`    run it again: SEED=${seed} npm test -- ${file}`)
    }
    const missing = this.#total - this.#results.length
    if (missing > 0) this.#print(`${missing} files did not run`)
    const passed = this.#results.reduce((sum, result) => sum + result.passed, 0)
    const failures = this.#results.reduce((sum, result) => sum + result.failures.length, 0)
    this.#print(`\n${this.#results.length} files in ${Math.round(wallMs / 1_000)} s; ${cpu}; SEED=${seed}`)
    this.#print(`${passed} passed, ${failures + missing} failed, ${skipped.length} skipped`)
  }
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}
