// Caches the price lists of carriers and reads a list only after its revision changes.

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

  async refresh(): Promise<void> {
    const revisions = await listPriceRevisions(this.#db)
    const isNew = ({ carrierId, revision }: (typeof revisions)[number]) =>
      this.#known.get(carrierId)?.revision !== revision
    const changed = revisions.filter(isNew).map((it) => it.carrierId)
    const read = changed.length > 0 ? await listPrices(this.#db, changed) : []
    const kept = revisions.flatMap(({ carrierId }) => this.#known.get(carrierId) ?? [])
    this.#known = new Map([...kept, ...read].map((list) => [list.carrierId, list]))
  }
}
