// Get started without a browser: the real bundle against the real service, and its examples, run as shown.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { exampleIn, LANGUAGES, type SnippetLanguage } from '../../ui/start/snippets.ts'
import { makeClient } from '../harness/client.ts'
import { glance } from '../harness/readers.ts'
import { ownService } from '../harness/service.ts'

const run = promisify(execFile)
const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,upkeep,simulator' } })

/** The program that runs a language, and the code that prints the result of an example. */
const RUNNERS: Record<SnippetLanguage, { command: string; file: string; tells: string }> = {
  curl: { command: 'bash', file: 'example.sh', tells: '' },
  typescript: {
    command: process.execPath,
    file: 'example.mts',
    tells: 'console.log(JSON.stringify({ messageId, verified }))',
  },
  python: { command: 'python3', file: 'example.py', tells: 'print(json.dumps([sent, answer]))' },
}

for (const [index, language] of LANGUAGES.entries()) {
  test(`the example in ${language} sends a message and has a code verified, as it is pasted`, async (t) => {
    const { command, file, tells } = RUNNERS[language]
    if (
      await run(command, ['--version'])
        .catch(() => true)
        .then((it) => it === true)
    )
      return t.skip(`no ${command}`)
    const client = await makeClient(service, { mode: 'test', testOtpCode: '123456' })
    const { keyPrefix } = (await service.manage('GET', `/clients/${client.id}`)).body
    const to = `+977980000000${index}`
    const root = `${service.url}/api/sms/v1`
    const text = `It's "5 o'clock" \`\${to}\``
    const example = exampleIn(language, { root, clientName: 'Web\nshop', keyPrefix, to, text })
    const program = [example, tells].join('\n').replaceAll(`${keyPrefix}…`, client.apiKey)
    const folder = mkdtempSync(join(tmpdir(), 'hulaki-example-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, file), program)
    const { stdout } = await run(command, [join(folder, file)], {
      env: { PATH: process.env.PATH, HULAKI_API_KEY: client.apiKey },
    })
    assert.match(stdout, /"messageId": ?"[0-9a-f-]{36}"/)
    assert.match(stdout, /"verified": ?true/)
  })
}

test('a pasted example runs only the shown command, whatever number the link holds', () => {
  const facts = { root: 'http://127.0.0.1', clientName: 'Web shop', keyPrefix: 'svc_live_1', text: undefined }
  for (const language of LANGUAGES)
    for (const to of [`+977980000'; touch /tmp/x; '0001`, '+977980000"}); import os #0001', '+977980000\n0001'])
      assert.equal(exampleIn(language, { ...facts, to }), exampleIn(language, { ...facts, to: '+9779800000001' }))
})

test('steps tick automatically, and examples have the real address and key prefix', async () => {
  const client = await makeClient(service)
  const { workspaceId } = client
  const { keyPrefix } = (await service.manage('GET', `/clients/${client.id}`)).body
  const page = await glance(service, `/console/w/${workspaceId}/start?in=python`, { workspaceId })
  await page.until(`: ${keyPrefix}…`)
  await page.until('KEY = os.environ["HULAKI_API_KEY"]')
  await page.until(`Request("${service.url}/api/sms/v1" + path`)
  await page.until(/Send a messageSend message/)
  await client.send()
  await page.until(/Send a messageDone/)
  await page.close()
})
