// The examples of the API drawer run as printed, against the real service.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { EXAMPLE_LANGUAGES, type ExampleLanguage, exampleOf, requestOf } from '../../ui/api/examples.ts'
import { makeClient } from '../harness/client.ts'
import { OPERATOR_TOKEN, sharedService } from '../harness/service.ts'

const PROGRAMS: Record<ExampleLanguage, (text: string) => [program: string, options: string[]]> = {
  curl: (text) => ['sh', ['-c', text]],
  typescript: (text) => [process.execPath, ['--input-type=module-typescript', '--eval', text]],
  python: (text) => ['python3', ['-c', text]],
}
const NEEDS: Record<ExampleLanguage, string> = { curl: 'curl', typescript: process.execPath, python: 'python3' }

function missing(program: string): string | false {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return false
  } catch {
    return `${program} is not installed`
  }
}

const service = await sharedService()
const client = await makeClient(service)

for (const language of EXAMPLE_LANGUAGES) {
  const run = async (request: Parameters<typeof exampleOf>[1]) => {
    const [program, options] = PROGRAMS[language](exampleOf(language, request))
    const env = { ...process.env, HULAKI_TOKEN: OPERATOR_TOKEN, NO_COLOR: '1' }
    return (await promisify(execFile)(program, options, { env })).stdout
  }

  test(`the ${language} example of a list and of a change runs as printed`, {
    skip: missing(NEEDS[language]),
  }, async () => {
    const { id, workspaceId } = client
    const list = { params: { id: workspaceId }, query: { status: ['queued', 'sent'], search: "O'Neil & co" } }
    assert.match(await run(requestOf('listMessages', list, service.url)), /items/)
    const brandName = `It's "${language}" \\ नमस्ते $HOME`
    const body = {
      brandName: 'Plain',
      restrictions: { dailyCap: null, types: ['otp'] },
      defaultSender: brandName.slice(0, 4),
    }
    await run(requestOf('changeClient', { params: { id }, body }, service.url))
    const { body: changed } = await service.manage('GET', `/clients/${id}`)
    assert.deepEqual([changed.brandName, changed.restrictions.types], ['Plain', ['otp']])
    const template = { name: `Quotes in ${language}`, type: 'transactional', text: brandName }
    await run(requestOf('submitTemplate', { params: { id: workspaceId }, body: template }, service.url))
    const { items } = (await service.manage('GET', `/workspaces/${workspaceId}/templates`)).body
    assert.equal(items.find(({ name }: { name: string }) => name === template.name)?.text, brandName)
  })
}

test('an example has no secret', () => {
  const body = { name: 'x', password: 'hunter2', smpp: { secrets: ['a'] }, testOtpCode: '4711' }
  const request = requestOf('changeCarrier', { params: { id: 'c' }, body }, 'http://x')
  for (const language of EXAMPLE_LANGUAGES) assert.doesNotMatch(exampleOf(language, request), /hunter2|4711|"a"/)
})
