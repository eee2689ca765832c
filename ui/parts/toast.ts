// Toasts: short confirmations after a change, with Undo where one exists. The shell shows them; their texts load with the first one.
import type { Calls } from '../api/calls.ts'
import { Store } from './store.ts'

/** Older ones go first. */
const MAX_TOASTS = 3

export interface Toast {
  /** A change, an undone change, a text, or the error of an undo. */
  of: { change: keyof Calls; body: object } | 'undone' | { text: string } | { error: string }
  undo: (() => void) | null
}

export const toasts = new Store<readonly Toast[]>([])

export function showToast(toast: Toast): void {
  toasts.set([...toasts.value, toast].slice(-MAX_TOASTS))
}

export function closeToast(toast: Toast): void {
  toasts.set(toasts.value.filter((it) => it !== toast))
}
