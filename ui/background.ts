// Work that its caller does not wait for: a failure goes to the browser's console, since no part of the page shows it.

export function inBackground(work: Promise<unknown>): void {
  work.catch((error) => console.error(error))
}
