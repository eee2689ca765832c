// Errors of files are one sentence that names the file or folder, and no internal name.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { describeFileError } from '../../src/cli/file-errors.ts'

const folder = mkdtempSync(join(tmpdir(), 'hulaki errors '))
after(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'file')
writeFileSync(file, '')

function errorOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return assert.fail('no error')
}

/** Errors that root does not get. */
const failed = (code: string, syscall: string, path?: string) =>
  Object.assign(new Error(`${code}: text of Node, ${syscall}`), { code, syscall, path })

test('names what is missing: the file, or its folder', () => {
  assert.equal(describeFileError(errorOf(() => readFileSync(join(folder, 'none')))), `There is no file ${folder}/none.`)
  const nowhere = errorOf(() => writeFileSync(join(folder, 'none', 'a.csv.part'), ''))
  assert.equal(describeFileError(nowhere), `There is no folder ${folder}/none.`)
})

test('says that a folder is no file, and that a file is no folder', () => {
  assert.equal(
    describeFileError(
      errorOf(() => readFileSync(folder)),
      folder,
    ),
    `${folder} is a folder; name a file.`,
  )
  const draft = `${folder}/x.part`
  writeFileSync(draft, '')
  mkdirSync(join(folder, 'x'))
  const replaced = errorOf(() => renameSync(draft, join(folder, 'x')))
  assert.equal(describeFileError(replaced), `${folder}/x is a folder; name a file.`)
  mkdirSync(`${folder}/y.part`)
  assert.equal(
    describeFileError(errorOf(() => rmSync(`${folder}/y.part`))),
    `${folder}/y.part is a folder; name a file.`,
  )
  const made = errorOf(() => mkdirSync(file, { recursive: true }))
  assert.equal(describeFileError(made), `${file} is a file; name a folder.`)
  assert.match(String(describeFileError(errorOf(() => mkdirSync(join(file, 'a'), { recursive: true })))), /is a file/)
  const taken = errorOf(() => writeFileSync(file, '', { flag: 'wx' }))
  assert.equal(describeFileError(taken), `${file} exists already; choose another name.`)
})

test('a full disk', { skip: !existsSync('/dev/full') }, () => {
  assert.match(String(describeFileError(errorOf(() => writeFileSync('/dev/full', 'x')))), /^The disk is full; free/)
})

test('without permission, names the file, or the folder that it cannot be created in', () => {
  assert.match(String(describeFileError(failed('EACCES', 'open', file))), /has no permission for \S.*file; change/)
  assert.match(
    String(describeFileError(failed('EACCES', 'open', join(folder, 'draft-1-abc')))),
    new RegExp(`has no permission for the folder ${folder}; change`),
  )
  assert.match(String(describeFileError(failed('EROFS', 'mkdir', join(folder, 'new')))), /is on a disk that cannot/)
  assert.equal(
    describeFileError(failed('ELOOP', 'open'), file),
    `${file} is not accessible (ELOOP: text of Node, open).`,
  )
})

test('an error of a disk, which has no path after a write', () => {
  assert.match(
    String(describeFileError(failed('EIO', 'write'))),
    /^A file cannot be read or written \(EIO.*check its disk\.$/,
  )
  assert.match(String(describeFileError(failed('EFBIG', 'write'))), /^A file is larger than its disk or a limit/)
})

test('the name that a person typed is not changed', () => {
  const draft = join(folder, 'key.part')
  const error = errorOf(() => readFileSync(draft))
  assert.equal(describeFileError(error, draft), `There is no file ${draft}.`)
})

test('describes no other error', async () => {
  assert.equal(describeFileError(new TypeError('a bug')), null)
  assert.equal(describeFileError('text'), null)
  const refused = await new Promise((resolve) => connect(join(folder, 'no socket')).once('error', resolve))
  assert.equal((refused as NodeJS.ErrnoException).code, 'ENOENT')
  assert.equal(describeFileError(refused), null)
})
