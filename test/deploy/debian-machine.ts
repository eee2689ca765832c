// A Debian of its own for tests that install Hulaki as an operator does: made by debootstrap, booted by systemd-nspawn, with a loopback network only.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { until } from '../harness/until.ts'
import { type Ran, runScript, type Shell, tryScript } from './printed-shell.ts'

const SUITE = 'bookworm'
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** In a mount namespace, so that nothing stays mounted in the folder if debootstrap fails. */
async function makeDebian(folder: string, packages: readonly string[]): Promise<void> {
  const script = `debootstrap --variant=minbase --include=${packages.join()} ${SUITE} '${folder}'`
  await runScript(script, { within: ['unshare', '--mount'], env: { PATH } })
}

export class DebianMachine {
  readonly #nspawn: ChildProcess
  readonly #ended: Promise<unknown>
  #shell: Shell = {}

  private constructor(tree: string) {
    const isolated = ['--private-network', '--register=no', '--keep-unit', '--console=pipe']
    this.#nspawn = spawn('systemd-nspawn', ['--quiet', '--directory', tree, '--boot', ...isolated], { stdio: 'ignore' })
    this.#ended = once(this.#nspawn, 'close')
  }

  static async boot(tree: string, packages: readonly string[]): Promise<DebianMachine> {
    await makeDebian(tree, packages)
    const machine = new DebianMachine(tree)
    try {
      await machine.#enter()
      return machine
    } catch (error) {
      await machine.stop()
      throw error
    }
  }

  async #enter(): Promise<void> {
    const init = await until(() => this.#findInit())
    const clean = ['env', '-i', '--chdir=/root', `PATH=${PATH}`, 'HOME=/root']
    this.#shell = { within: ['nsenter', '--target', init, '--all', ...clean] }
    let state = ''
    await until(
      async () => {
        state = (await this.try('systemctl is-system-running --wait')).output
        return state === 'running\n'
      },
      { seen: () => state },
    )
  }

  /** The first process of the machine. Until it runs systemd, it is a process of systemd-nspawn, which another one may replace. */
  #findInit(): string | undefined {
    const { pid, exitCode } = this.#nspawn
    assert.equal(exitCode, null, 'systemd-nspawn has ended')
    const child = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return /^\d+$/.test(child) && nameOf(child) === 'systemd' ? child : undefined
  }

  /** Runs a script as root, which must succeed, and returns what it printed. */
  run(script: string): Promise<string> {
    return runScript(script, this.#shell)
  }

  try(script: string): Promise<Ran> {
    return tryScript(script, this.#shell)
  }

  async stop(): Promise<void> {
    this.#nspawn.kill('SIGTERM')
    await this.#ended
  }
}

/** null: the process has ended. */
function nameOf(pid: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return null
  }
}
