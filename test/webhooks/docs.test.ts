// Runs the code of docs/reference/webhooks.md, which must accept and refuse signatures as in §6.3.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { freePort } from '../../scripts/free-port.ts'
import { signatureHeader } from '../../src/domain/webhooks/signature.ts'
import { until } from '../harness/until.ts'

const docs = readFileSync(new URL('../../docs/reference/webhooks.md', import.meta.url), 'utf8')

const secret = 'whsec_3f9a1c5be7d2480690ab'
const body = Buffer.from(
  '{"type":"message.inbound","id":"1","from":"+9779812345678","text":"हो 👍","at":"2026-01-02T03:04:05.678Z"}',
)
const now = 1_767_323_046
const sign = (unixSeconds: number, ...secrets: [string] | [string, string]) =>
  signatureHeader({ unixSeconds, body, secrets })
const good = sign(now, secret)

interface SignatureCase {
  title: string
  header: string
  isGood: boolean
}

const cases: SignatureCase[] = [
  { title: 'the only signature', header: good, isGood: true },
  { title: 'the first of two', header: sign(now, secret, 'whsec_old'), isGood: true },
  { title: 'the second of two', header: sign(now, 'whsec_new', secret), isGood: true },
  { title: '300 seconds old', header: sign(now - 300, secret), isGood: true },
  { title: '300 seconds ahead', header: sign(now + 300, secret), isGood: true },
  { title: '301 seconds old', header: sign(now - 301, secret), isGood: false },
  { title: '301 seconds ahead', header: sign(now + 301, secret), isGood: false },
  { title: 'another secret', header: sign(now, 'whsec_other'), isGood: false },
  { title: 'another time', header: good.replace(`t=${now}`, `t=${now + 1}`), isGood: false },
  { title: 'a digit changed', header: good.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')), isGood: false },
  { title: 'cut short', header: good.slice(0, -2), isGood: false },
  { title: 'another version', header: good.replace('v1=', 'v2='), isGood: false },
  { title: 'no time', header: good.replace(/^t=\d+,/, ''), isGood: false },
  { title: 'an invalid time', header: good.replace(/^t=\d+/, 't=now'), isGood: false },
  { title: 'not a signature', header: 'undefined', isGood: false },
  { title: 'nothing', header: '', isGood: false },
]

/** Writes code blocks of the page, named by their first line, into a new folder. */
function folderWith(t: TestContext, ...fileNames: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'hulaki-docs-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const blocks = Array.from(docs.matchAll(/^```\w+\n(?:\/\/|#) (\S+)\n.*?^```$/gms))
  for (const fileName of fileNames) {
    const block = blocks.find(([, name]) => name === fileName)?.[0]
    assert(block, `the page has a block ${fileName}`)
    writeFileSync(join(folder, fileName), block.replace(/^```.*\n/, '').replace(/```$/, ''))
  }
  return folder
}

function isMissing(program: string): boolean {
  return spawnSync(program, ['--version']).error !== undefined
}

test('the signature of the request on the page is valid', () => {
  const [, header, text = ''] = docs.match(/x-svc-signature: (\S+)\n.*?\n\n(\{[^\n]*\})\n/s) ?? []
  assert.equal(signatureHeader({ unixSeconds: now, body: Buffer.from(text), secrets: [secret] }), header)
  assert(docs.includes(`\`${secret}\``))
})

test('§6.3 rule 2: the TypeScript of the page verifies signatures', async (t) => {
  const folder = folderWith(t, 'verify-webhook.ts')
  const { verifyWebhook } = await import(pathToFileURL(join(folder, 'verify-webhook.ts')).href)
  for (const { title, header, isGood } of cases) assert.equal(verifyWebhook(header, body, secret, now), isGood, title)
  assert.equal(verifyWebhook(good, Buffer.concat([body, Buffer.from('\n')]), secret, now), false)
})

test('§6.3 rule 2: the Python of the page verifies signatures', (t) => {
  if (isMissing('python3')) return t.skip('python3 is not on this machine')
  const script = `
import json, sys
from verify_webhook import verify_webhook
body, secret, now, headers = json.load(sys.stdin)
print(json.dumps([verify_webhook(header, body.encode(), secret, now) for header in headers]))`
  const { stdout, stderr } = spawnSync('python3', ['-c', script], {
    cwd: folderWith(t, 'verify_webhook.py'),
    input: JSON.stringify([body.toString(), secret, now, cases.map(({ header }) => header)]),
    encoding: 'utf8',
  })
  assert.deepEqual(
    JSON.parse(stdout || '[]'),
    cases.map(({ isGood }) => isGood),
    stderr,
  )
})

test('§6.3 rule 2: the openssl commands of the page verify signatures', (t) => {
  if (isMissing('openssl') || isMissing('sh')) return t.skip('openssl and a shell are not on this machine')
  const folder = folderWith(t, 'verify-webhook.sh')
  writeFileSync(join(folder, 'body.json'), body)
  const verify = (header: string) => {
    const env = { ...process.env, header, secret }
    return spawnSync('sh', ['verify-webhook.sh'], { cwd: folder, env, encoding: 'utf8' }).stdout.trim()
  }
  assert.equal(verify(good), 'good')
  assert.equal(verify(sign(now, 'whsec_new', secret)), 'good')
  assert.equal(verify(sign(now, 'whsec_other')), `bad: expected ${good.replace(/^t=\d+,/, '')}`)
})

test('the endpoint of the page accepts a valid event once, also when repeated, and refuses an invalid one', async (t) => {
  const port = await freePort()
  const endpoint = spawn(process.execPath, ['receiver.ts'], {
    cwd: folderWith(t, 'receiver.ts', 'verify-webhook.ts'),
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => endpoint.kill())
  let printed = ''
  endpoint.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text
  })
  const post = async (header: string) => {
    const headers = { 'x-svc-signature': header, 'x-svc-delivery': 'd1' }
    return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status
  }
  await until(() => printed === 'waiting for webhooks\n')
  const fresh = sign(Math.floor(Date.now() / 1000), secret)
  assert.deepEqual([await post(fresh), await post(fresh), await post(good)], [204, 204, 401])
  await until(() => printed.includes('message'))
  assert.equal(printed, 'waiting for webhooks\nmessage.inbound 1 हो 👍\n')
})
