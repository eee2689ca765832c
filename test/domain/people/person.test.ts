import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isEmail, normalEmail } from '../../../src/domain/people/person.ts'

test('accepts an e-mail address in one spelling, without control characters (D4)', () => {
  for (const address of ['asha@example.com', 'a.b+c@mail.example.com', 'operator@localhost', 'दिल@xn--p1b6ci4b4b3a.np'])
    assert(isEmail(normalEmail(address)), address)
  for (const address of [
    ...[
      '',
      'asha',
      '@example.com',
      'asha@',
      'a b@example.com',
      'a@b@example.com',
      '<asha@example.com>',
      'asha@example.com.',
    ],
    ...[
      'a\u0000b@example.com',
      'a\u0085b@example.com',
      'a\u001fb@example.com',
      'a\ud800b@example.com',
      'a@ｅxample.com',
    ],
    ...['"a"@example.com', 'a,b@example.com', `${'a'.repeat(250)}@example.com`],
  ])
    assert(!isEmail(normalEmail(address)), JSON.stringify(address))
})
