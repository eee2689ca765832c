// Collects the events of Node's test runner for one file into counts and failures.
import type { TestsStream } from 'node:test'
import { inspect } from 'node:util'
import type { FileResult, TestFailure } from './messages.ts'

interface TestEvent {
  name: string
  nesting: number
  skip?: string | boolean
  todo?: string | boolean
  details?: { type?: string; duration_ms?: number; error?: Error & { failureType?: string } }
  type?: string
}

/** What Node's runner adds to the diagnostics of the tests. */
const COUNTS = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/

export class TestRecord {
  readonly #open: string[] = []
  readonly #path: string[] = []
  #enqueued = 0
  #ended = 0
  #passed = 0
  #isSuccess = false
  readonly #diagnostics: string[] = []
  readonly #skipped: FileResult['skipped'] = []
  readonly #tests: FileResult['tests'] = []
  readonly #failures: TestFailure[] = []
  readonly #file: string
  lastEventAt = performance.now()

  constructor(file: string) {
    this.#file = file
  }

  read(stream: TestsStream): void {
    stream.on('test:enqueue', (event: TestEvent) => {
      this.lastEventAt = performance.now()
      this.#enqueued++
      this.#open.push(event.name)
    })
    stream.on('test:start', (event: TestEvent) => {
      this.#path.length = event.nesting
      this.#path[event.nesting] = event.name
    })
    stream.on('test:pass', (event: TestEvent) => this.#end(event))
    stream.on('test:fail', (event: TestEvent) => {
      this.#end(event)
      // A failed suite is not reported, only its tests.
      const error = event.details?.error
      if (error?.failureType !== 'subtestsFailed')
        this.#failures.push({ path: this.#pathOf(event), text: describe(error) })
    })
    stream.on('test:diagnostic', ({ message }: { message: string }) => this.#diagnostics.push(message))
    stream.on('test:summary', ({ success }: { success: boolean }) => {
      this.#isSuccess = success
    })
    stream.resume()
  }

  get hasEnded(): boolean {
    return this.#ended > 0 && this.#open.length === 0
  }

  /** Tests that have started and not ended. */
  pending(): string {
    return this.#open.join(', ') || 'none'
  }

  result(faults: string[]): Omit<FileResult, 'file' | 'wallMs' | 'cpuMs'> {
    const failures = [...this.#failures, ...faults.map((text) => ({ path: [], text }))]
    if (this.#ended < this.#enqueued) failures.push({ path: [], text: `tests did not end: ${this.pending()}` })
    if (this.#passed + this.#skipped.length === 0 && failures.length === 0)
      failures.push({ path: [], text: 'the file executed no test' })
    if (!this.#isSuccess && failures.length === 0) failures.push({ path: [], text: this.#diagnostics.join('\n') })
    const notes = this.#diagnostics.filter((line) => !COUNTS.test(line))
    return { passed: this.#passed, skipped: this.#skipped, failures, tests: this.#tests, notes }
  }

  #end(event: TestEvent): void {
    this.lastEventAt = performance.now()
    this.#ended++
    const at = this.#open.indexOf(event.name)
    if (at >= 0) this.#open.splice(at, 1)
    if (event.details?.type === 'suite') return
    // Node's runner reports a file without tests as a test with the file's name.
    if (event.name === this.#file) return
    const path = this.#pathOf(event)
    this.#tests.push({ path, ms: event.details?.duration_ms ?? 0 })
    if (event.skip !== undefined && event.skip !== false)
      this.#skipped.push({ path, reason: typeof event.skip === 'string' ? event.skip : '' })
    else if (!event.details?.error) this.#passed++
  }

  #pathOf({ name, nesting }: TestEvent): string[] {
    return [...this.#path.slice(0, nesting), name]
  }
}

function describe(error: (Error & { failureType?: string }) | undefined): string {
  // The runner wraps errors; the wrapper's stack is useless.
  const cause = error?.cause ?? error
  return inspect(cause, { depth: 6 })
}
