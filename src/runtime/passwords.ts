// Password hashing with argon2id, at most two at a time, because each costs CPU time and memory.
import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { FairQueue } from './fair-queue.ts'
import type { Random } from './random.ts'

const COST = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const TAG_BYTES = 32
const AT_ONCE = 2
const MAX_WAITING = 50

const derive = promisify(argon2)

export class Passwords {
  readonly #random: Random
  readonly #waiting = new FairQueue<(isTurn: boolean) => void>()
  #underWay = 0
  /** Compared with when a person has no password, so that the time does not reveal it. */
  readonly #dummyHash: string

  constructor(random: Random) {
    this.#random = random
    this.#dummyHash = write(random.bytes(SALT_BYTES), random.bytes(TAG_BYTES))
  }

  /** Runs `work` in turn, fairly by `from`. Null if the queue is full: then the newest work of the busiest `from` is dropped. */
  async inTurn<Result>(from: string, work: () => Promise<Result>): Promise<Result | null> {
    if (this.#underWay < AT_ONCE) this.#underWay += 1
    else if (!(await this.#turn(from))) return null
    try {
      return await work()
    } finally {
      if (this.#waiting.size > 0) this.#waiting.take()(true)
      else this.#underWay -= 1
    }
  }

  async hash(password: string): Promise<string> {
    const salt = this.#random.bytes(SALT_BYTES)
    return write(salt, await tagOf(password, salt, COST))
  }

  /** Without a hash the result is false after the same time. */
  async isRight(password: string, hash: string | null): Promise<boolean> {
    const { salt, tag, cost } = read(hash ?? this.#dummyHash)
    const isSame = timingSafeEqual(await tagOf(password, salt, cost), tag)
    return isSame && hash !== null
  }

  #turn(from: string): Promise<boolean> {
    if (this.#waiting.size >= MAX_WAITING) {
      if (!this.#waiting.fullerThan([from])) return Promise.resolve(false)
      this.#waiting.dropNewest()(false)
    }
    return new Promise((resolve) => this.#waiting.add(resolve, [from]))
  }
}

type Cost = typeof COST

function tagOf(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  // Keyboards may compose the same letters differently.
  const message = Buffer.from(password.normalize('NFKC'))
  return derive('argon2id', { message, nonce: salt, tagLength: TAG_BYTES, ...cost })
}

/** The PHC string format, which includes the cost. */
function write(salt: Buffer, tag: Buffer): string {
  const plain = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${plain(salt)}$${plain(tag)}`
}

function read(hash: string): { salt: Buffer; tag: Buffer; cost: Cost } {
  const found = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(hash)
  if (!found) throw new Error('a stored password hash has an unknown format')
  const [, memory, passes, parallelism, salt = '', tag = ''] = found
  return {
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
  }
}
