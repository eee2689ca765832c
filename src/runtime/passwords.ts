// Passwords are kept as argon2id, which costs time and memory on purpose: two are worked on at once, the rest wait their turn.
import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Chance } from './chance.ts'
import { FairQueue } from './fair-queue.ts'

const COST = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const TAG_BYTES = 32
const AT_ONCE = 2
const MOST_WAITING = 50

const derive = promisify(argon2)

export class Passwords {
  readonly #chance: Chance
  readonly #waiting = new FairQueue<(isTurn: boolean) => void>()
  #underWay = 0
  /** Of a password that nobody has: to compare with it takes as long as with anybody's. */
  readonly #nobodys: string

  constructor(chance: Chance) {
    this.#chance = chance
    this.#nobodys = write(chance.bytes(SALT_BYTES), chance.bytes(TAG_BYTES))
  }

  /**
   * Runs `work` when it is its turn; null where too many wait. Whoever asks from many places at once (`from`) waits on itself, and in
   * a full room gives way.
   */
  async inTurn<Result>(from: string, work: () => Promise<Result>): Promise<Result | null> {
    if (this.#underWay < AT_ONCE) this.#underWay += 1
    else if (!(await this.#turn(from))) return null
    try {
      return await work()
    } finally {
      // The turn passes on, or ends.
      if (this.#waiting.size > 0) this.#waiting.take()(true)
      else this.#underWay -= 1
    }
  }

  async hash(password: string): Promise<string> {
    const salt = this.#chance.bytes(SALT_BYTES)
    return write(salt, await tagOf(password, salt, COST))
  }

  /** Without a hash it is wrong, and takes as long to say so. */
  async isRight(password: string, hash: string | null): Promise<boolean> {
    const { salt, tag, cost } = read(hash ?? this.#nobodys)
    const isSame = timingSafeEqual(await tagOf(password, salt, cost), tag)
    return isSame && hash !== null
  }

  #turn(from: string): Promise<boolean> {
    if (this.#waiting.size >= MOST_WAITING) {
      if (!this.#waiting.fullerThan([from])) return Promise.resolve(false)
      this.#waiting.dropNewest()(false)
    }
    return new Promise((resolve) => this.#waiting.add(resolve, [from]))
  }
}

type Cost = typeof COST

function tagOf(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  // As the keyboard of another machine may write the same letters.
  const message = Buffer.from(password.normalize('NFKC'))
  return derive('argon2id', { message, nonce: salt, tagLength: TAG_BYTES, ...cost })
}

/** The form that every library reads, with what it cost then. */
function write(salt: Buffer, tag: Buffer): string {
  const plain = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${plain(salt)}$${plain(tag)}`
}

function read(hash: string): { salt: Buffer; tag: Buffer; cost: Cost } {
  const found = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(hash)
  if (!found) throw new Error('a stored password is in no form that is known')
  const [, memory, passes, parallelism, salt = '', tag = ''] = found
  return {
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
  }
}
