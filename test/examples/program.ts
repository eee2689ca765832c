// A program of an example as a process of its own, gone after the test file; what it logs is searched for secrets like any log.
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
    // A group of its own, so that what npm starts ends with it.
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
    // What is for people may hold the keys of a first start.
    keepLog(() => this.output.split('\n').filter((line) => line.startsWith('{')))
  }

  /** Without times: a response time such as 3.121000000012 ms has digits of a phone number by chance. */
  get outputWithoutTimes(): string {
    return this.output.replaceAll(/"(?:time|responseTime)":[\d.e-]+/g, '')
  }

  /** The first group of the pattern, once it stands in what the program prints. */
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
      // It is gone.
    }
  }
}
