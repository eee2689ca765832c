// Commands on the database of this machine: the command line parses them, and passes them on (D81).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LocalCommand, LocalError } from '../../src/cli/context.ts'
import { typist } from './typed.ts'

const passed: LocalCommand[] = []
const type = typist('http://127.0.0.1:1', {
  readFile: () => 'five plain words do well\n',
  runLocally: async (command) => {
    passed.push(command)
    command.note('half')
    if (command.name === 'move') throw new LocalError('The target database is not empty.')
    return { backup: '/backups/x.backup', rows: 12 }
  },
})

test('passes options and the passphrase of a file on, and prints the fields', async () => {
  const { code, out, err } = await type('backup', '--to', '/backups', '--no-keyring', '--passphrase-file', 'file')
  assert.deepEqual([code, out, err], [0, 'backup  /backups/x.backup\nrows    12', 'half'])
  const { name, values, passphrase } = passed.at(-1) ?? {}
  assert.deepEqual(
    { name, values, passphrase },
    { name: 'backup', values: { to: '/backups', keyring: false }, passphrase: 'five plain words do well' },
  )
})

test('with --json prints no progress, and a failure as JSON with exit code 1', async () => {
  const { json, err } = await type('restore', '/backups/x.backup', '--json')
  assert.deepEqual([json(), err], [{ backup: '/backups/x.backup', rows: 12 }, ''])
  const failed = await type('move', '--to', 'postgres://db.example.net/hulaki', '--json')
  assert.equal(failed.code, 1)
  assert.deepEqual(JSON.parse(failed.err), { error: 'The target database is not empty.', code: 'local_failure' })
})

test('rejects a missing target, and an address or a token', async () => {
  const missing = await type('backup')
  assert.deepEqual([missing.code, missing.err], [2, '--to is required: Folder, or a new file that ends with .backup.'])
  const addressed = await type('backup', '--to', '/backups', '--url', 'http://127.0.0.1:8080')
  assert.equal(addressed.code, 2)
  assert.match(addressed.err, /uses the database of this machine/)
})
