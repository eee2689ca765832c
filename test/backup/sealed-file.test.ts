// The head of a backup: a changed bit in it is damage, and never sends people after another version or file.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { BackupFileError, openSealed, SealedWriter } from '../../src/backup/sealed-file.ts'
import { systemRandom } from '../../src/runtime/random.ts'

const folder = mkdtempSync(join(tmpdir(), 'hulaki-sealed-'))
after(() => rmSync(folder, { recursive: true }))

async function using<Result>(name: string, flags: string, use: (file: FileHandle) => Promise<Result>): Promise<Result> {
  const file = await open(join(folder, name), flags)
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

async function faultOf(bytes: Buffer): Promise<string> {
  writeFileSync(join(folder, 'changed'), bytes)
  const passphrase = () => Promise.reject(new Error('asked for a passphrase'))
  const opened = using('changed', 'r', (file) => openSealed('x.backup', file, { content: 'database', passphrase }))
  const error = await opened.then(
    () => assert.fail('opened'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof BackupFileError, String(error))
  return error.message
}

test('every changed bit of a head is damage, unless it makes another format or another version', async () => {
  await using('whole', 'wx', async (file) => {
    const writer = await SealedWriter.open(file, { content: 'database', passphrase: null, random: systemRandom })
    await writer.write(Buffer.from('payload'), { isLast: true })
  })
  const whole = readFileSync(join(folder, 'whole'))
  const version = whole.indexOf('"version":') + '"version":'.length
  const start = '{"format":"hulaki"'.length
  const end = whole.indexOf('\n')
  assert.ok(end > version)
  for (let place = 0; place <= end; place++) {
    for (let bit = 0; bit < 8; bit++) {
      const changed = Buffer.from(whole)
      changed[place] = (changed[place] ?? 0) ^ (1 << bit)
      const fault = await faultOf(changed)
      const isOtherVersion = place === version && /[2-9]/.test(String.fromCharCode(changed[place] ?? 0))
      const expected =
        place < start
          ? 'x.backup is not a backup of Hulaki.'
          : isOtherVersion
            ? `x.backup has format ${String.fromCharCode(changed[place] ?? 0)}, which this version of Hulaki cannot read; use a newer version.`
            : 'x.backup is damaged; use another copy.'
      assert.equal(fault, expected, `byte ${place}, bit ${bit}`)
    }
  }
})
