// What carriers charge, as this process knows it: a list is read again only when there is another.

import { listPriceRevisions, listPrices, type StoredPriceList } from '../../store/carriers/carrier-prices.ts'
import type { Db } from '../../store/database/db.ts'

export class PriceLists {
  readonly #db: Db
  #known: ReadonlyMap<string, StoredPriceList> = new Map()

  constructor(db: Db) {
    this.#db = db
  }

  of(carrierId: string): StoredPriceList | undefined {
    return this.#known.get(carrierId)
  }

  async look(): Promise<void> {
    const there = await listPriceRevisions(this.#db)
    const isNew = ({ carrierId, revision }: (typeof there)[number]) => this.#known.get(carrierId)?.revision !== revision
    const changed = there.filter(isNew).map((it) => it.carrierId)
    const read = changed.length > 0 ? await listPrices(this.#db, changed) : []
    const kept = there.flatMap(({ carrierId }) => this.#known.get(carrierId) ?? [])
    this.#known = new Map([...kept, ...read].map((list) => [list.carrierId, list]))
  }
}
