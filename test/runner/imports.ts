// Which files a file imports, found by reading sources: which tests need no database, and which tests a change concerns.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'

const IMPORT = /(?:\bfrom\s+|\bimport\s*\(?\s*)'(\.{1,2}\/[^']+)'/g

export class Imports {
  readonly #root: string
  readonly #direct = new Map<string, string[]>()

  constructor(root: string) {
    this.#root = root
  }

  /** The file itself and everything it reaches, as paths from the root. */
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
      return [...found].map(([, target = '']) => relative(this.#root, resolve(dirname(path), target)))
    })
  }
}
