// Password hashing with argon2id: two at a time, and fair by place.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Passwords } from '../../src/runtime/passwords.ts'
import { systemRandom } from '../../src/runtime/random.ts'

test('a hash has its cost and salt, and matches only its password in any Unicode composition', async () => {
  const passwords = new Passwords(systemRandom)
  const [one, two] = [await passwords.hash('Zoë rides at dawn'), await passwords.hash('Zoë rides at dawn')]
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  assert.notEqual(one, two)
  assert.equal(await passwords.isRight('Zoe\u0308 rides at dawn', one), true)
  assert.equal(await passwords.isRight('Zoe rides at dawn', one), false)
  assert.equal(await passwords.isRight('', null), false)
})

test('two run at once and 50 wait; a place with more requests loses its newest', async () => {
  const passwords = new Passwords(systemRandom)
  let underWay = 0
  let most = 0
  const finish: (() => void)[] = []
  const work = async () => {
    underWay += 1
    most = Math.max(most, underWay)
    await new Promise<void>((resolve) => finish.push(resolve))
    underWay -= 1
    return 'done'
  }
  const flood = Array.from({ length: 60 }, () => passwords.inTurn('flood', work))
  const other = passwords.inTurn('other', work)
  const outcomes = Promise.all([...flood, other])
  const isOver = outcomes.then(() => true)
  while (!(await Promise.race([isOver, new Promise((resolve) => setImmediate(resolve, false))]))) finish.shift()?.()
  const done = await outcomes
  assert.equal(most, 2)
  assert.equal(done.at(-1), 'done')
  assert.equal(done.filter((it) => it === null).length, 9, 'of 61, two run and 50 wait')
})
