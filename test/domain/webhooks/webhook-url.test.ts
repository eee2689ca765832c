// §5.5, D31: which webhook URLs are valid; no notation of a special address passes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validateWebhookUrl } from '../../../src/domain/webhooks/webhook-url.ts'

const nothing = () => false
const judge = (url: string) => validateWebhookUrl(url, nothing)

test('accepts an https URL in its canonical form', () => {
  const canonical = {
    'https://example.com/hooks/sms?v=1': 'https://example.com/hooks/sms?v=1',
    'HTTPS://Example.COM': 'https://example.com/',
    'https://example.com:443/a/../b': 'https://example.com/b',
    'https://example.com:8443/': 'https://example.com:8443/',
    'https://नेपाल.example/': 'https://xn--l2bey1c2b.example/',
    'https://8.8.8.8/': 'https://8.8.8.8/',
    'https://[2606:4700::1111]/': 'https://[2606:4700::1111]/',
  }
  for (const [url, expected] of Object.entries(canonical))
    assert.deepEqual(judge(url), { kind: 'accepted', url: expected })
})

test('accepts only https without credentials, with a host and without hidden characters (§5.5, D31)', () => {
  const faults: [string, RegExp][] = [
    ['http://example.com/', /https/],
    ['ftp://example.com/', /https/],
    ['file:///etc/passwd', /https/],
    ['javascript:alert(1)', /https/],
    ['example.com/hook', /not a URL/],
    ['https://', /not a URL/],
    ['', /not a URL/],
    ['https://256.0.0.1/', /not a URL/],
    ['https://[fe80::1%25eth0]/', /not a URL/],
    ['https://user@example.com/', /user name or password/],
    ['https://user:pass@example.com/', /user name or password/],
    ['https://:pass@example.com/', /user name or password/],
    ['https://8.8.8.8%2f@127.0.0.1/', /user name or password/],
    ['https://./', /host/],
    ['https://exa\tmple.com/', /white space/],
    [' https://example.com/', /white space/],
    ['https://example.com/\u0000', /control/],
    [`https://example.com/${'a'.repeat(2048)}`, /2048/],
  ]
  for (const [url, why] of faults) {
    const verdict = judge(url)
    assert(verdict.kind === 'refused', url)
    assert.match(verdict.why, why, url)
  }
})

test('rejects every notation of a special address (D31)', () => {
  const hosts = [
    ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1', '0x7F.0x0.0x0.0x1', '017700000001'],
    ...['0177.0.0.1', '0177.0x0.1', '127.0.0.1.', '127.255.255.254', '0', '0.0.0.0', '0x0'],
    ...['１２７.0.0.1', '①②⑦.0.0.1', '127。0。0。1', '%31%32%37.0.0.1', '%30x7f.1'],
    ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'ｌｏｃａｌｈｏｓｔ', '%6cocalhost', 'loc\u00ADalhost'],
    ...['169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518', '0xa9.0xfe.0xa9fe'],
    ...['10.0.0.1', '012.1', '172.16.0.1', '192.168.1.1', '3232235777', '100.64.0.1', '198.18.0.1', '255.255.255.255'],
    ...[
      '[::]',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::ffff:0x7f.1]',
      '[::127.0.0.1]',
    ],
    ...[
      '[64:ff9b::127.0.0.1]',
      '[64:ff9b::a9fe:a9fe]',
      '[2002:7f00:1::]',
      '[2001:0:7f00:1::]',
      '[fe80::1]',
      '[fc00::1]',
    ],
    ...['[fd00:ec2::254]', '[ff02::1]', '[2001:db8::1]'],
  ]
  for (const host of hosts) {
    for (const url of [`https://${host}/`, `https://${host}:8443/hook`]) assert.equal(judge(url).kind, 'refused', url)
  }
  // URL's own reading counts: a backslash is a slash, and slashes may be missing.
  for (const url of ['https:\\\\127.0.0.1\\', 'https:127.0.0.1', 'https:/127.0.0.1', 'https:///127.0.0.1/']) {
    assert.equal(judge(url).kind, 'refused', url)
  }
})

test('allows exactly the networks that the operator allows (D31)', () => {
  const isAllowed = (address: string) => address === '127.0.0.1'
  for (const url of ['https://127.0.0.1:8443/', 'https://localhost/', 'https://0x7f.1/']) {
    assert.equal(validateWebhookUrl(url, isAllowed).kind, 'accepted', url)
  }
  for (const url of ['https://127.0.0.2/', 'https://[::1]/', 'https://10.0.0.1/', 'http://localhost/']) {
    assert.equal(validateWebhookUrl(url, isAllowed).kind, 'refused', url)
  }
})
