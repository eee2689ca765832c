// Finds imports by reading sources, to select tests without a database and tests affected by a change.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'

const IMPORT = /(?:\bfrom\s+|\bimport\s*\(?\s*)'(\.{1,2}\/[^']+)'/g

export class Imports {
  readonly #root: string
  readonly #direct = new Map<string, string[]>()

  constructor(root: string) {
    this.#root = root
  }

  /** The file and all its transitive imports, relative to the root. */
  reachedFrom(file: string): Set<string> {
    const reached = new Set<string>([file])
    for (const each of reached) for (const imported of this.#importsOf(each)) reached.add(imported)
    return reached
  }

  #importsOf(file: string): string[] {
    return this.#direct.getOrInsertComputed(file, () => {
      const path = resolve(this.#root, file)
      if (!existsSync(path) || !/\.[jt]sx?$/.test(path)) return []
      const found = readFileSync(path, 'utf8').matchAll(IMPORT)
      const targets = [...found].map(([, target = '']) => resolve(dirname(path), target))
      // The text of a generated file can contain an import of a file that is elsewhere.
      return targets.filter((it) => existsSync(it)).map((it) => relative(this.#root, it))
    })
  }
}
