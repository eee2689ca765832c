// A PostgreSQL that is installed on this system, as an operator runs it, with the commands of docs/operations/backup.md.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, globSync, rmSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { freePort } from '../../scripts/free-port.ts'
import { scratchFolder } from '../../scripts/scratch-folder.ts'
import { type Block, blocksOf } from '../docs/blocks.ts'
import type { Connection } from '../harness/server.ts'

const programs = globSync('/usr/lib/postgresql/*/bin').find((it) => Number(it.split('/')[4]) >= 15) ?? ''
export const noServer = programs === '' && 'PostgreSQL 15 or later is not installed on this system'
const PASSWORD = 'secret'

/** Finds the block of the page that contains some words. */
export function printedOn(page: string): (words: string) => string {
  return (words) => {
    const block = blocksOf(page).find(({ text }: Block) => text.includes(words))
    if (!block) throw new Error(`${page} has no block with ${words}`)
    return `${block.text}\n`
  }
}

export class OwnServer {
  /** Of the user who runs PostgreSQL. */
  readonly folder = scratchFolder('hulaki-server')
  readonly cluster = join(this.folder, 'cluster')
  readonly port: number

  private constructor(port: number) {
    this.port = port
    chmodSync(this.folder, 0o755)
    const { uid, gid } = asOwner()
    if (uid !== undefined && gid !== undefined) chownSync(this.folder, uid, gid)
    after(() => {
      spawnSync(join(programs, 'pg_ctl'), ['-D', this.cluster, '-m', 'immediate', 'stop'], asOwner())
      rmSync(this.folder, { recursive: true, force: true })
    })
  }

  static async create(): Promise<OwnServer> {
    const server = new OwnServer(await freePort())
    server.run(`initdb -D cluster -U postgres --auth-host=trust --auth-local=trust --encoding=UTF8 --no-sync`)
    return server
  }

  start(): void {
    const options = `-p ${this.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`
    this.run(`pg_ctl -D cluster -w -o '${options}' -l server.log start || { cat server.log >&2; exit 1; }`)
  }

  stop(): void {
    this.run('pg_ctl -D cluster -w -m fast stop')
  }

  /** A printed command, in the folder of the server and as its user. PostgreSQL refuses to run as root. */
  run(command: string): void {
    const env = { ...process.env, PATH: `${programs}:${process.env.PATH}`, PGPORT: String(this.port) }
    const text = command.replaceAll('db.example.net', '127.0.0.1').replaceAll("'PASSWORD'", `'${PASSWORD}'`)
    execFileSync('sh', ['-ec', text], { cwd: this.folder, env, encoding: 'utf8', stdio: 'pipe', ...asOwner() })
  }

  /** The empty database of the page, and its role. */
  createDatabase(): Connection {
    this.run(printedOn('docs/operations/backup.md')('create role hulaki'))
    return { ...this.admin, user: 'hulaki', password: PASSWORD, database: 'hulaki' }
  }

  get admin(): Connection {
    return { host: '127.0.0.1', port: this.port, user: 'postgres', password: '', database: 'postgres' }
  }
}

function asOwner(): { uid?: number; gid?: number } {
  return userInfo().uid === 0 ? { uid: 65534, gid: 65534 } : {}
}
