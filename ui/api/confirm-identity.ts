// Some calls need a recent sign-in: they wait here until the person has confirmed the identity, and are then repeated.
import { Store } from '../parts/store.ts'

/** The dialog that asks calls it with the result. */
export const pendingConfirmation = new Store<((isShown: boolean) => void) | null>(null)

let waiting: Promise<boolean> | null = null

/** The dialog itself sets a first password: that call must not wait for the dialog. */
export function isMadeByDialog(name: string): boolean {
  return waiting !== null && name === 'changePassword'
}

/** Several calls that wait share one dialog. */
export function confirmIdentity(): Promise<boolean> {
  waiting ??= new Promise<boolean>((resolve) => pendingConfirmation.set(resolve)).finally(() => {
    waiting = null
    pendingConfirmation.set(null)
  })
  return waiting
}
