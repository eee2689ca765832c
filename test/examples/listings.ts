// The code blocks of a documentation page, each with the text before it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKOUT } from '../harness/process.ts'

export interface Listing {
  language: string
  text: string
  /** The whole text above it. */
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
