// Where messages go, as far as routes tell destinations apart, and which of them can be reached (D6, D16).
import type { MessageType } from './message-type.ts'

export interface Destinations {
  /** The destination of a number: its country, and the longest prefix that any route of that country names. */
  of(country: string, e164: string): string
  /** False when no working carrier serves it and its backlog is past the bound: then nothing more is taken in. */
  isOpen(destination: string, type: MessageType): boolean
}
