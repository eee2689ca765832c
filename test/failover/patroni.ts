// A Patroni cluster of three PostgreSQL servers with synchronous replication and etcd, on ports of this machine.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, globSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after } from 'node:test'
import { freePort } from '../../scripts/free-port.ts'
import { call } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const NODES = ['one', 'two', 'three'] as const
type NodeName = (typeof NODES)[number]

const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/sbin', '/usr/local/bin']
const PROGRAMS = globSync('/usr/lib/postgresql/*/bin').find((it) => Number(it.split('/')[4]) >= 15) ?? ''

/** Why the cluster cannot run on this machine, or false. */
export function missingPrograms(): string | false {
  const missing = ['patroni', 'etcd'].filter((name) => findProgram(name) === undefined)
  if (PROGRAMS === '') missing.push('postgresql')
  return missing.length > 0 && `not installed on this system: ${missing.join(', ')}`
}

function findProgram(name: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find((file) => globSync(file).length > 0)
}

/** PostgreSQL refuses to run as root. */
const OWNER = userInfo().uid === 0 ? { uid: 65534, gid: 65534 } : {}

interface Node {
  name: NodeName
  port: number
  restPort: number
  directory: string
  patroni: ChildProcess
}

interface Member {
  name: NodeName
  role: string
  state: string
  timeline?: number
  /** In bytes behind the primary. */
  lag?: number | 'unknown'
}

const REPAIR_AFTER_MS = 30_000

/** The times are the least that Patroni allows. */
const DYNAMIC = {
  ttl: 20,
  loop_wait: 1,
  retry_timeout: 5,
  // A killed primary is replaced at once, and not restarted.
  master_start_timeout: 0,
  maximum_lag_on_failover: 0,
  synchronous_mode: true,
  synchronous_mode_strict: true,
  postgresql: {
    use_pg_rewind: true,
    parameters: { max_connections: 100, wal_log_hints: 'on', wal_keep_size: '512MB' },
  },
}

export class Cluster {
  readonly #nodes: Node[]

  private constructor(nodes: Node[]) {
    this.#nodes = nodes
  }

  static async start(): Promise<Cluster> {
    const folder = scratch()
    const [etcdPort, peerPort] = [await freePort(), await freePort()]
    const [etcdUrl, peerUrl] = [etcdPort, peerPort].map((port) => `http://127.0.0.1:${port}`)
    const etcdOptions = ['--data-dir', join(folder, 'etcd'), '--listen-client-urls', `${etcdUrl}`]
    const peers = ['--listen-peer-urls', `${peerUrl}`, '--initial-advertise-peer-urls', `${peerUrl}`]
    const initial = ['--advertise-client-urls', `${etcdUrl}`, '--initial-cluster', `default=${peerUrl}`]
    startProgram('etcd', [...etcdOptions, ...peers, ...initial], join(folder, 'etcd.log'))
    const nodes: Node[] = []
    for (const name of NODES) {
      const node = { name, port: await freePort(), restPort: await freePort(), directory: join(folder, name) }
      const file = join(folder, `${name}.yml`)
      // JSON is YAML.
      writeFileSync(file, JSON.stringify(settingsOf(node, `127.0.0.1:${etcdPort}`)))
      nodes.push({ ...node, patroni: startProgram('patroni', [file], join(folder, `${name}.log`)) })
    }
    const cluster = new Cluster(nodes)
    await cluster.untilWhole()
    return cluster
  }

  /** Of all hosts; the service finds the primary. */
  get url(): string {
    const hosts = this.#nodes.map(({ port }) => `127.0.0.1:${port}`)
    return `postgres://hulaki@${hosts.join(',')}/postgres?target_session_attrs=read-write`
  }

  /** Waits until there is a primary with a synchronous standby, and the third server follows. */
  async untilWhole(): Promise<void> {
    let repairAt = performance.now() + REPAIR_AFTER_MS
    await until(
      async () => {
        const members = await this.#members()
        const leader = members.find(({ role }) => role === 'leader')
        const diverged = members.filter((it) => it.timeline !== leader?.timeline || it.lag === 'unknown')
        // As an operator would: Patroni does not always see that a server has to be rewound.
        if (leader && performance.now() > repairAt) {
          repairAt = performance.now() + REPAIR_AFTER_MS
          for (const { name } of diverged) await this.#reinitialize(name)
        }
        const areRunning = members.every(({ state }) => state === 'running' || state === 'streaming')
        const roles = members.map(({ role }) => role).sort()
        return areRunning && diverged.length === 0 && roles.join() === 'leader,replica,sync_standby'
      },
      { ms: 180_000 },
    )
  }

  /** Kills the primary's PostgreSQL. Returns its name. */
  async killPrimary(): Promise<NodeName> {
    const { name, directory } = await this.#primary()
    const [pid = ''] = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')
    process.kill(Number(pid), 'SIGKILL')
    return name
  }

  /** Makes the synchronous standby the primary in an orderly way. Returns the name of the old primary. */
  async switchOver(): Promise<NodeName> {
    const { name: leader, restPort } = await this.#primary()
    const members = await this.#members()
    const candidate = members.find(({ role }) => role === 'sync_standby')?.name
    const answer = await fetch(`http://127.0.0.1:${restPort}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader, candidate }),
    })
    if (!answer.ok) throw new Error(`no switchover: ${answer.status} ${await answer.text()}`)
    return leader
  }

  async untilPrimaryIsNot(name: NodeName): Promise<void> {
    await until(
      async () =>
        (await this.#members()).some((it) => it.role === 'leader' && it.name !== name && it.state === 'running'),
      {
        ms: 120_000,
      },
    )
  }

  async #primary(): Promise<Node> {
    const leader = (await this.#members()).find(({ role }) => role === 'leader')
    const node = this.#nodes.find(({ name }) => name === leader?.name)
    if (!node) throw new Error('the cluster has no primary')
    return node
  }

  /** Rejected while it is in progress. */
  async #reinitialize(name: NodeName): Promise<void> {
    const node = this.#nodes.find((it) => it.name === name)
    await fetch(`http://127.0.0.1:${node?.restPort}/reinitialize`, { method: 'POST', body: '{}' })
  }

  async #members(): Promise<Member[]> {
    for (const { restPort } of this.#nodes) {
      const answer = await call(`http://127.0.0.1:${restPort}/cluster`, { method: 'GET' }).catch(() => null)
      if (answer?.status === 200) return answer.body.members
    }
    return []
  }
}

function settingsOf({ name, port, restPort, directory }: Omit<Node, 'patroni'>, etcd: string) {
  return {
    scope: 'hulaki',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    etcd3: { host: etcd },
    bootstrap: { dcs: DYNAMIC, initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'] },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: directory,
      bin_dir: PROGRAMS,
      // Not in the data folder: pg_rewind would copy the socket.
      parameters: { unix_socket_directories: dirname(directory) },
      pgpass: `${directory}.pgpass`,
      authentication: {
        superuser: { username: 'hulaki' },
        replication: { username: 'replicator' },
      },
      pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
    },
  }
}

const children: ChildProcess[] = []
const folders: string[] = []

// Patroni ends its PostgreSQL, and needs etcd until then.
after(async () => {
  for (const child of children.reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function startProgram(name: string, options: string[], log: string): ChildProcess {
  const output = openSync(log, 'a')
  const env = { PATH: FOLDERS.join(delimiter), LC_ALL: 'C.UTF-8', ETCD_UNSUPPORTED_ARCH: process.arch }
  const child = spawn(findProgram(name) ?? name, options, {
    stdio: ['ignore', output, output],
    cwd: tmpdir(),
    env,
    ...OWNER,
  })
  children.push(child)
  return child
}

function scratch(): string {
  const parent = mkdtempSync(join(tmpdir(), 'hulaki-patroni-'))
  const folder = join(parent, 'nodes')
  mkdirSync(folder)
  const { uid, gid } = OWNER
  for (const it of [parent, folder]) if (uid !== undefined && gid !== undefined) chownSync(it, uid, gid)
  folders.push(parent)
  return folder
}
