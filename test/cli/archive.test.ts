// `hulaki archive` writes whole days with checksums, and continues where it stopped (D78).
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { runCommandLine } from '../../src/cli/run.ts'
import { lowestIdOf } from '../../src/runtime/ids.ts'
import { syncFolder } from '../../src/runtime/sync-folder.ts'
import { listener } from '../harness/background.ts'
import { makeClient } from '../harness/client.ts'
import { query } from '../harness/server.ts'
import { OPERATOR_TOKEN, ownService } from '../harness/service.ts'
import { pretend } from './pretend.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
const client = await makeClient(service)
const folder = mkdtempSync(join(tmpdir(), 'hulaki archive '))
after(() => rmSync(folder, { recursive: true }))
const ROWS = 2_500

const idOf = (day: string) =>
  `('${lowestIdOf(new Date(`${day}T10:00:00Z`)).slice(0, 24)}' || lpad(n::text, 12, '0'))::uuid`
for (const [day, count] of [
  ['2026-09-29', ROWS],
  ['2026-10-02', 1],
] as const) {
  const id = idOf(day)
  await query(
    service.address,
    `insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4, status, created_at, updated_at)
     select ${id}, '${client.workspaceId}', '${client.id}', '+9779841000000', 'NP', 'Shop', E'Line 1\\nLine "' || n || '"', 'transactional', 'GSM7', 1, 0,
       'delivered', '${day}', '${day}' from generate_series(1, ${count}) n`,
    `insert into submission (message_id, ordinal, segment, segment_count, carrier_id, to_number, sender, outcome, reference, claimed_at, answered_at)
     select ${id}, 1, 1, 1, '${client.id}', '+9779841000000', 'Shop', 'accepted', 'ref ' || n, '${day}', '${day}' from generate_series(1, ${count}) n`,
    `insert into report (message_id, id, ordinal, segment, state, code, status, error, raw, received_at)
     select ${id}, ${id}, 1, 1, 'DELIVRD', '000', 'delivered', '', '', '${day}' from generate_series(1, ${count}) n`,
    `insert into inbound_message (id, carrier_id, from_number, to_address, text, received_at)
     select ${id}, '${client.id}', '+9779841000000', '1234', 'Yes', '${day}' from generate_series(1, ${count}) n`,
  )
}

async function run(words: string[], url = service.url) {
  const lines: string[] = []
  const write = (text: string) => lines.push(text)
  const code = await runCommandLine(['archive', ...words], {
    version: '0',
    url: () => url,
    tokenFor: () => OPERATOR_TOKEN,
    readFile: () => '',
    writeFile: () => Promise.reject(new Error('no file')),
    syncFolder,
    runLocally: () => Promise.reject(new Error('no installation')),
    inspectUpgrade: () => Promise.reject(new Error('no installation')),
    newIdempotencyKey: () => 'key',
    newId: () => 'id',
    secret: () => null,
    machine: () => 'test',
    random: () => 0,
    // The clock of the service decides.
    now: () => new Date('2020-01-01T00:00:00Z'),
    width: null,
    out: write,
    err: write,
    signal: new AbortController().signal,
  })
  return { code, text: lines.join('\n') }
}

const manifestOf = (to: string) => JSON.parse(readFileSync(join(to, 'manifest.json'), 'utf8')).files
const readTable = (to: string, file: string) => gunzipSync(readFileSync(join(to, file))).toString()

test('D78: exports the days before the month, with the submissions and receipts of messages, and checksums', async () => {
  const to = join(folder, 'whole')
  const { code, text } = await run(['--before', '2026-10', '--to', to])
  assert.equal(code, 0, text)
  assert.deepEqual(readdirSync(to).toSorted(), [
    'manifest.json',
    'messages-2026-09-29.csv.gz',
    'replies-2026-09-29.csv.gz',
  ])
  assert.match(
    text,
    /^messages 2026-09-29: 2500 rows\nreplies 2026-09-29: 2500 rows\nThe archive in \S.* in 2 files\.$/,
  )
  const files: { table: string; day: string; file: string | null; rows: number; bytes: number; sha256: string }[] =
    manifestOf(to)
  const full = files.filter(({ file }) => file !== null)
  assert.deepEqual(
    full.map(({ table, day, rows }) => [table, day, rows]),
    [
      ['messages', '2026-09-29', ROWS],
      ['replies', '2026-09-29', ROWS],
    ],
  )
  for (const { file, bytes, sha256 } of full) {
    const content = readFileSync(join(to, String(file)))
    assert.deepEqual([content.length, createHash('sha256').update(content).digest('hex')], [bytes, sha256])
    assert.equal(statSync(join(to, String(file))).mode & 0o077, 0)
  }
  const table = readTable(to, 'messages-2026-09-29.csv.gz')
  assert.match(table, /^\ufeffid,createdAt,workspaceId/)
  assert.ok(table.includes(`"Line 1\nLine ""${ROWS}"""`))
  assert.equal(table.match(/""carrierId""/g)?.length, ROWS)
  assert.equal(table.match(/""state"":""DELIVRD""/g)?.length, ROWS)
  const { items } = (await service.manage('GET', '/audit-log?action=service.archived')).body
  assert.equal(items.length, files.length)
})

test('D78: continues after the last complete day, and never gives an incomplete file its final name', async (context) => {
  const to = join(folder, 'stopped')
  const relay = listener(async (request: IncomingMessage, response: ServerResponse) => {
    const headers = { authorization: String(request.headers.authorization) }
    const answer = await fetch(`${service.url}${request.url}`, { headers })
    const body = Buffer.from(await answer.arrayBuffer())
    response.writeHead(answer.status, { 'content-type': String(answer.headers.get('content-type')) })
    // The connection breaks in the middle of the replies.
    if (!request.url?.includes('/replies')) return response.end(body)
    response.write(body.subarray(0, body.length / 2))
    return response.destroy()
  })
  const url = await pretend(context, relay)
  const stopped = await run(['--before', '2026-10', '--to', to], url)
  assert.equal(stopped.code, 5, stopped.text)
  assert.match(stopped.text, /Repeat the command to continue/)
  assert.ok(!readdirSync(to).includes('replies-2026-09-29.csv.gz'))
  const before = manifestOf(to)
  const { code, text } = await run(['--before', '2026-11', '--to', to])
  assert.equal(code, 0, text)
  assert.deepEqual(manifestOf(to).slice(0, before.length), before)
  assert.ok(!text.includes('messages 2026-09-29'), 'exports no day twice')
  assert.ok(readTable(to, 'replies-2026-09-29.csv.gz').includes('Yes'))
  assert.ok(readTable(to, 'messages-2026-10-02.csv.gz').includes('Line 1'))
  assert.match(text, /^messages 2026-10-02: 1 row$/m)
})

test('D78: rejects a month and a day whose messages can still change', async () => {
  for (const words of [
    ['--to', folder],
    ['--before', '2026-13', '--to', folder],
    ['--before', '2027-01', '--to', folder],
  ])
    assert.equal((await run(words)).code, 2, words.join(' '))
  const { text } = await run(['--before', '2026-12', '--to', folder])
  assert.match(text, /^--before 2026-12 is too late: the service exports days until 2026-11-08, because/)
  const statusOf = async (day: string) => (await service.manage('GET', `/archive/messages?day=${day}`)).status
  assert.deepEqual([await statusOf('2026-11-16'), await statusOf('2026-11-09')], [400, 400])
  assert.equal(await statusOf('2026-11-08'), 200)
  const { body } = await service.manage('POST', `/workspaces/${client.workspaceId}/owner-tokens`, { name: 'Owner' })
  assert.equal((await service.manage('GET', '/archive/messages?day=2026-11-01', undefined, body.token)).status, 404)
})

/** An archive of the days before November, for a test to damage. */
async function archived(name: string) {
  const to = join(folder, name)
  const words = ['--before', '2026-11', '--to', to]
  const { code, text } = await run(words)
  assert.equal(code, 0, text)
  return { to, words, again: (...more: string[]) => run([...words, ...more]) }
}

test('D78: a folder with the archive of another service is refused and left as it is', async () => {
  const { to, again } = await archived('other service')
  const before = readFileSync(join(to, 'manifest.json'), 'utf8')
  const shift = (sign: string) =>
    query(
      service.address,
      `update schema_migration set applied_at = applied_at ${sign} interval '1 s'
       where number = (select min(number) from schema_migration)`,
    )
  await shift('+')
  const { code, text } = await again()
  await shift('-')
  assert.equal(code, 1)
  assert.match(text, /^\S.* has the archive of another service, whose database was created at 20\S+Z; choose another/)
  assert.equal(readFileSync(join(to, 'manifest.json'), 'utf8'), before)
  assert.equal((await again()).code, 0)
})

test('D78: exports a missing file again, replaces no file, and names those that are damaged or lost', async () => {
  const { to, again } = await archived('lost')
  const [messages, last, replies] = [
    'messages-2026-09-29.csv.gz',
    'messages-2026-10-02.csv.gz',
    'replies-2026-09-29.csv.gz',
  ]
  const copy = join(folder, 'copy of lost')
  cpSync(to, copy, { recursive: true })
  const before = readFileSync(join(to, 'manifest.json'), 'utf8')
  rmSync(join(to, messages))
  appendFileSync(join(to, replies), 'x')
  const changed = readFileSync(join(to, replies))
  const { code, text } = await again()
  assert.equal(code, 1)
  assert.match(text, /^messages 2026-09-29: 2500 rows\nThese files of \S.* do not have the size of the manifest: /)
  assert.match(text, /: replies-2026-09-29\.csv\.gz; put copies of them back\.$/)
  assert.deepEqual(readFileSync(join(to, replies)), changed)
  rmSync(join(to, replies))
  assert.match((await again()).text, /^replies 2026-09-29: 2500 rows\nThe archive/)
  assert.equal(readFileSync(join(to, 'manifest.json'), 'utf8'), before, 'the same files')
  // Before the oldest reply, and after the oldest message.
  await query(
    service.address,
    `delete from inbound_message where received_at = '2026-09-29'`,
    `delete from report where received_at = '2026-10-02'`,
    `delete from submission where claimed_at = '2026-10-02'`,
    `delete from message where created_at = '2026-10-02'`,
  )
  for (const name of [messages, last, replies]) rmSync(join(to, name))
  const lost = await again()
  assert.equal(lost.code, 1)
  assert.match(lost.text, /^messages 2026-09-29: 2500 rows\nThese files of \S.* are missing, and the service/)
  assert.match(lost.text, /no longer has their days: messages-2026-10-02.csv.gz, replies-2026-09-29.csv.gz; put copies/)
  assert.equal(readFileSync(join(to, 'manifest.json'), 'utf8'), before)
  for (const name of [last, replies]) cpSync(join(copy, name), join(to, name))
  assert.equal((await again()).code, 0)
})

test('D78: writes through no link that another user made', async () => {
  const to = join(folder, 'planted')
  mkdirSync(to)
  const victim = join(folder, 'victim')
  writeFileSync(victim, 'untouched', { mode: 0o644 })
  for (const name of ['manifest.json', 'messages-2026-09-29.csv.gz']) symlinkSync(victim, join(to, `${name}.part`))
  writeFileSync(join(to, 'replies-2026-10-02.csv.gz.part'), 'of a killed command', { mode: 0o666 })
  const { code, text } = await run(['--before', '2026-11', '--to', to])
  assert.equal(code, 0, text)
  assert.equal(readFileSync(victim, 'utf8'), 'untouched')
  for (const name of readdirSync(to)) assert.equal(statSync(join(to, name)).mode & 0o777, 0o600, name)
})

test('a damaged manifest and a folder that is a file are one sentence', async () => {
  const { to, again } = await archived('damaged')
  const manifest = JSON.parse(readFileSync(join(to, 'manifest.json'), 'utf8'))
  const [first, ...rest] = manifest.files
  for (const damaged of [
    ...['', '{', '{}', '[]', 'null', JSON.stringify({ ...manifest, files: {} })],
    JSON.stringify({ ...manifest, files: [{ ...first, rows: '1' }, ...rest] }),
    JSON.stringify({ ...manifest, files: [null] }),
    JSON.stringify({ ...manifest, files: [{ ...first, file: '../elsewhere.csv.gz' }] }),
  ]) {
    writeFileSync(join(to, 'manifest.json'), damaged)
    const { code, text } = await again()
    assert.equal(code, 1, damaged)
    assert.match(text, /manifest\.json is damaged; put a copy of it back, or choose another folder with --to\.$/)
  }
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const { code, text } = await run(['--before', '2026-11', '--to', file, '--json'])
  assert.equal(code, 1)
  assert.deepEqual(JSON.parse(text), { error: `${file} is a file; name a folder.`, code: 'local_failure' })
  const below = await run(['--before', '2026-11', '--to', join(file, 'archive')])
  assert.deepEqual(
    [below.code, below.text],
    [1, `A part of the path ${file}/archive is a file; name a path of folders.`],
  )
})

const disk = join(folder, 'disk')
mkdirSync(disk)
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', disk]).status === 0

test('a full disk is one sentence and leaves no draft', {
  skip: !isMounted && 'cannot mount a file system',
}, async (context) => {
  context.after(() => execFileSync('umount', ['-l', disk]))
  const { code, text } = await run(['--before', '2026-11', '--to', disk])
  assert.deepEqual([code, text], [1, 'The disk is full; free space and run the command again.'])
  assert.deepEqual(readdirSync(disk), [])
})
