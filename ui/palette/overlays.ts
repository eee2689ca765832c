// What the shell loads after the first screen: toasts, the results of ⌘K, and the dialog of the shortcuts.
export { Toasts } from '../parts/toasts.tsx'
export { KeyHelp } from './key-help.tsx'
export { Results } from './results.tsx'
