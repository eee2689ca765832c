// A queue that serves nested scopes (workspaces, then their clients) round-robin.

export class FairQueue<Item> {
  readonly #parent: FairQueue<Item> | null
  readonly #name: string
  #size = 0
  /** Items of this scope itself, oldest first. */
  readonly #line: Item[] = []
  readonly #below = new Map<string, FairQueue<Item>>()
  /** Child scopes in the order of their turns; a served or new scope goes to the end. */
  readonly #round: FairQueue<Item>[] = []

  constructor(parent: FairQueue<Item> | null = null, name = '') {
    this.#parent = parent
    this.#name = name
  }

  /** Items in this scope and its child scopes. */
  get size(): number {
    return this.#size
  }

  /** `path` names the scopes, the widest first. */
  add(item: Item, path: readonly string[]): void {
    let at: FairQueue<Item> = this
    for (const name of path) at = at.#enter(name)
    at.#line.push(item)
    at.#resize(1)
  }

  /** The next item in turn. The queue must not be empty. */
  take(): Item {
    let at: FairQueue<Item> = this
    while (at.#line.length === 0) at = at.#next()
    at.#resize(-1)
    return at.#line.shift() as Item
  }

  /** The oldest item of exactly this path. */
  firstOf(path: readonly string[]): Item | undefined {
    let at: FairQueue<Item> = this
    for (const name of path) {
      const scope = at.#below.get(name)
      if (!scope) return undefined
      at = scope
    }
    return at.#line[0]
  }

  /**
   * The first scope along `path` that holds more items than its sibling on `path` would with one more, or null. A scope below its
   * equal share of the queue therefore always finds a larger scope to drop from.
   */
  fullerThan(path: readonly string[]): FairQueue<Item> | null {
    let at: FairQueue<Item> = this
    for (const name of path) {
      const own = at.#below.get(name)
      const fullest = at.#fullest()
      if (fullest && fullest.size > (own?.size ?? 0) + 1) return fullest
      if (!own) return null
      at = own
    }
    return null
  }

  /** Removes the newest item of the largest scope: the newest has waited the least. The queue must not be empty. */
  dropNewest(): Item {
    let at: FairQueue<Item> = this
    for (let fullest = at.#fullest(); fullest; fullest = at.#fullest()) at = fullest
    at.#resize(-1)
    return at.#line.pop() as Item
  }

  #enter(name: string): FairQueue<Item> {
    const known = this.#below.get(name)
    if (known) return known
    const scope = new FairQueue<Item>(this, name)
    this.#below.set(name, scope)
    this.#round.push(scope)
    return scope
  }

  /** The child scope in turn. Removes empty scopes on the way. */
  #next(): FairQueue<Item> {
    for (;;) {
      const scope = this.#round.shift()
      if (!scope) throw new RangeError('the queue is empty')
      if (scope.#size > 1) this.#round.push(scope)
      else this.#below.delete(scope.#name)
      if (scope.#size > 0) return scope
    }
  }

  #fullest(): FairQueue<Item> | undefined {
    let fullest: FairQueue<Item> | undefined
    for (const scope of this.#round) if (scope.#size > (fullest?.size ?? 0)) fullest = scope
    return fullest
  }

  #resize(by: 1 | -1): void {
    for (let at: FairQueue<Item> | null = this; at; at = at.#parent) at.#size += by
  }
}
