// Passwords as argon2id: two at once, the rest in turn, and in a full room whoever fills it gives way.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemChance } from '../../src/runtime/chance.ts'
import { Passwords } from '../../src/runtime/passwords.ts'

test('a password is kept with what it cost and a salt of its own, and only it is right, however its letters are composed', async () => {
  const passwords = new Passwords(systemChance)
  const [one, two] = [await passwords.hash('Zoë rides at dawn'), await passwords.hash('Zoë rides at dawn')]
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  assert.notEqual(one, two)
  assert.equal(await passwords.isRight('Zoe\u0308 rides at dawn', one), true)
  assert.equal(await passwords.isRight('Zoe rides at dawn', one), false)
  assert.equal(await passwords.isRight('', null), false)
})

test('two are worked on at once, 50 wait; whoever asks more than others gives way to them', async () => {
  const passwords = new Passwords(systemChance)
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
  assert.equal(done.filter((it) => it === null).length, 9, 'of 61, two are under way and 50 wait')
})
