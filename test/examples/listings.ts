// Pieces of code in a page of the documentation, with what stands before each.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKOUT } from '../harness/process.ts'

export interface Listing {
  language: string
  text: string
  /** All that stands above it. */
  above: string
}

export function listingsOf(page: string): Listing[] {
  const whole = readFileSync(join(CHECKOUT, page), 'utf8')
  return Array.from(whole.matchAll(/^```(\w+)\n(.*?)^```$/gms), ({ 1: language = '', 2: text = '', index }) => ({
    language,
    text,
    above: whole.slice(0, index),
  }))
}
