// What a start has brought up, to be taken down in reverse, also when the start fails half-way.

export class BroughtUp {
  readonly #undo: (() => Promise<void>)[] = []

  add(undo: () => Promise<void>): void {
    this.#undo.push(undo)
  }

  async takeDown(): Promise<void> {
    for (let undo = this.#undo.pop(); undo; undo = this.#undo.pop()) await undo()
  }
}
