// State that one test file could leave for the next: listeners, environment, working directory.

/** pino and esbuild keep listeners for the life of the process. */
const EVENT_OF_PACKAGES = 'exit'

export interface ProcessState {
  listeners: Map<string | symbol, number>
  environment: Record<string, string | undefined>
  directory: string
}

export function processState(): ProcessState {
  const events = process.eventNames().filter((event) => event !== EVENT_OF_PACKAGES)
  return {
    listeners: new Map(events.map((event) => [event, process.listenerCount(event)])),
    environment: { ...process.env },
    directory: process.cwd(),
  }
}

export function stateChanges(before: ProcessState, after: ProcessState): string[] {
  const changes: string[] = []
  for (const [event, count] of after.listeners)
    if (count > (before.listeners.get(event) ?? 0)) changes.push(`a listener of process '${String(event)}'`)
  for (const name of new Set([...Object.keys(before.environment), ...Object.keys(after.environment)]))
    if (before.environment[name] !== after.environment[name]) changes.push(`the environment variable ${name}`)
  if (before.directory !== after.directory) changes.push('the working directory')
  return changes
}
