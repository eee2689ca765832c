// Saves the results of a benchmark for later comparison.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export function saveResult(name: string, figures: object): void {
  saveText(`${name}.json`, `${JSON.stringify({ at: new Date(), ...figures }, null, 2)}\n`)
}

export function saveText(file: string, text: string): void {
  const folder = join(import.meta.dirname, 'results')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, file), text)
}
