// Podman with its own images, volumes, mounts and network, so that a test changes nothing of the machine. `docker` calls it, as the package
// podman-docker does.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../harness/until.ts'
import { pathOfMachine, type Ran, runScript, type Shell, tryScript } from './printed-shell.ts'

const DOCKER = `#!/bin/sh
[ "$1" = compose ] || exec podman "$@"
shift
exec podman-compose "$@"
`

export class PodmanHost {
  readonly #namespaces: ChildProcess
  readonly #building: Shell
  readonly #running: Shell

  private constructor(folder: string, checkout: string) {
    this.#namespaces = spawn('unshare', ['--net', '--mount', 'sh', '-c', 'ip link set lo up && exec sleep infinity'], {
      stdio: 'ignore',
    })
    const namespaces = `/proc/${this.#namespaces.pid}/ns`
    const inMounts = ['nsenter', `--mount=${namespaces}/mnt`]
    const atCheckout = ['env', `--chdir=${checkout}`]
    // A build installs a package of Debian, so it needs the network of the machine.
    this.#building = { within: [...inMounts, ...atCheckout], env: environment(folder, 'host') }
    this.#running = {
      within: [...inMounts, `--net=${namespaces}/net`, ...atCheckout],
      env: environment(folder, 'private'),
    }
  }

  static async start(folder: string, checkout: string): Promise<PodmanHost> {
    const host = new PodmanHost(folder, checkout)
    try {
      // Until unshare has made them, the namespaces of its process are those of the machine.
      await until(() => host.#hasOwn('net') && host.#hasOwn('mnt'))
      await until(async () => (await host.try('ip link show up lo')).output.includes('LOOPBACK,UP'))
      return host
    } catch (error) {
      await host.stop()
      throw error
    }
  }

  #hasOwn(namespace: 'net' | 'mnt'): boolean {
    const of = (process: string | number | undefined) => readlinkSync(`/proc/${process}/ns/${namespace}`)
    return of(this.#namespaces.pid) !== of('self')
  }

  build(script: string): Promise<string> {
    return runScript(script, this.#building)
  }

  run(script: string): Promise<string> {
    return runScript(script, this.#running)
  }

  try(script: string): Promise<Ran> {
    return tryScript(script, this.#running)
  }

  async stop(): Promise<void> {
    await this.try('podman rm --all --force --time 0')
    const ended = once(this.#namespaces, 'close')
    this.#namespaces.kill('SIGKILL')
    await ended
  }
}

function environment(folder: string, network: 'host' | 'private'): NodeJS.ProcessEnv {
  const programs = join(folder, 'programs')
  const storage = join(folder, 'storage.conf')
  const containers = join(folder, `${network}.conf`)
  mkdirSync(programs, { recursive: true })
  writeFileSync(join(programs, 'docker'), DOCKER)
  chmodSync(join(programs, 'docker'), 0o755)
  writeFileSync(storage, `[storage]\ndriver = "overlay"\ngraphroot = "${folder}/graph"\nrunroot = "${folder}/run"\n`)
  writeFileSync(containers, settingsOf(folder, network))
  return {
    PATH: `${programs}:${pathOfMachine()}`,
    HOME: folder,
    CONTAINERS_CONF: containers,
    CONTAINERS_STORAGE_CONF: storage,
    BUILDAH_FORMAT: 'docker',
    DISABLE_HC_SYSTEMD: 'true',
    HULAKI_OPERATOR_TOKEN: 'operator-token-of-the-tests-long-enough',
  }
}

/** Works without systemd and without the right to raise limits. crun refuses machines with both versions of cgroups. */
function settingsOf(folder: string, network: 'host' | 'private'): string {
  const hasRunc = spawnSync('runc', ['--version']).status === 0
  return `[containers]
netns = "${network}"
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
tmp_dir = "${folder}/tmp"
${hasRunc ? 'runtime = "runc"' : ''}
[network]
network_config_dir = "${folder}/networks"
`
}
