// What the harness does when a test file has ended. A shard runs many files in one process and calls `endFile` after each; a file
// that runs alone (`node --test <file>`) ends with its process. This module is loaded once per process, unlike the rest of `test`.

let callbacks: (() => void)[] = []

export function onFileEnd(callback: () => void): void {
  if (callbacks.length === 0) process.once('exit', endFile)
  callbacks.push(callback)
}

export function endFile(): void {
  process.removeListener('exit', endFile)
  const due = callbacks
  callbacks = []
  for (const callback of due) callback()
}
