// Runs callbacks at the end of a test file: after each file in a shard, or at the end of the process for a file that runs alone. Loaded once
// per process.

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
