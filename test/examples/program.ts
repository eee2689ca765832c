// Runs an example program as a child process until the test file ends; its log is searched for secrets like any log.
import { type ChildProcess, spawn } from 'node:child_process'
import { after } from 'node:test'
import { failOnRejection } from '../harness/background.ts'
import { keepLog } from '../harness/log-leaks.ts'
import { until } from '../harness/until.ts'

export interface Command {
  program: string
  args: string[]
  cwd: string
  env: Record<string, string>
}

export class Program {
  readonly #child: ChildProcess
  readonly ended: Promise<number | null>
  output = ''

  constructor({ program, args, cwd, env }: Command) {
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
    // A separate process group, so that the children of npm end with it.
    this.#child = spawn(program, args, { cwd, env: { PATH, HOME, NODE_COMPILE_CACHE, ...env }, detached: true })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (text) => {
        this.output += text
      })
    }
    this.ended = new Promise((resolve) => this.#child.once('close', resolve))
    after(async () => {
      this.signal('SIGKILL')
      await this.ended
    })
    // Output for people may contain the keys of a first start.
    keepLog(() => this.output.split('\n').filter((line) => line.startsWith('{')))
  }

  /** Without times: a response time such as 3.121000000012 ms has digits of a phone number by chance. */
  get outputWithoutTimes(): string {
    return this.output.replaceAll(/"(?:time|responseTime)":[\d.e-]+/g, '')
  }

  /** Waits until the output matches the pattern, and returns its first group. */
  async printed(pattern: RegExp): Promise<string> {
    let hasEnded = false
    failOnRejection(
      this.ended.then(() => {
        hasEnded = true
      }),
    )
    await until(() => hasEnded || pattern.test(this.output))
    const found = pattern.exec(this.output)?.[1]
    if (found === undefined) throw new Error(`it ended without ${pattern}: ${this.output}`)
    return found
  }

  signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-(this.#child.pid ?? 0), signal)
    } catch {
      // The process has already ended.
    }
  }
}
