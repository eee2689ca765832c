// Who waits, by scope within scope (a workspace, and in it its clients): each scope gets its turn, so whoever asks much waits on
// itself; and where the room is full, whoever fills it gives way.

export class FairQueue<Item> {
  readonly #parent: FairQueue<Item> | null
  readonly #name: string
  #size = 0
  /** Of a scope that asks for itself, in the order in which they came. */
  readonly #line: Item[] = []
  readonly #below = new Map<string, FairQueue<Item>>()
  /** The scopes below, the next first: who was served goes to the end, and so does who is new. */
  readonly #round: FairQueue<Item>[] = []

  constructor(parent: FairQueue<Item> | null = null, name = '') {
    this.#parent = parent
    this.#name = name
  }

  /** How many wait here and below. */
  get size(): number {
    return this.#size
  }

  /** `path` names the scopes from the widest to the one that asks. */
  add(item: Item, path: readonly string[]): void {
    let at: FairQueue<Item> = this
    for (const name of path) at = at.#enter(name)
    at.#line.push(item)
    at.#resize(1)
  }

  /** The next in turn, and there is one. */
  take(): Item {
    let at: FairQueue<Item> = this
    while (at.#line.length === 0) at = at.#next()
    at.#resize(-1)
    return at.#line.shift() as Item
  }

  /** Who has waited longest of those who ask with this very path. */
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
   * Who fills the room more than `path` would with one more, scope by scope: another workspace, or a client beside it in its own.
   * Null when nobody does. So who waits for less than an equal share of the room is never turned away for what others wait for.
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

  /** The newest of whoever waits for most here, and there is one: it has lost the least. */
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

  /** The scope below whose turn it is; those that nobody waits for any more are forgotten on the way. */
  #next(): FairQueue<Item> {
    for (;;) {
      const scope = this.#round.shift()
      if (!scope) throw new RangeError('nobody waits here')
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
