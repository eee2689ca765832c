// Asks for a passphrase on the terminal, without showing it.
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { UsageError } from '../../cli/context.ts'

const MIN_LENGTH = 12

export async function askNewPassphrase(signal: AbortSignal): Promise<string> {
  const passphrase = checkPassphrase(await askPassphrase('New passphrase: ', signal))
  if ((await askPassphrase('The same passphrase: ', signal)) !== passphrase)
    throw new UsageError('The two passphrases differ.')
  return passphrase
}

/** A short one can be found by trying. */
export function checkPassphrase(passphrase: string): string {
  if (passphrase.length < MIN_LENGTH) throw new UsageError(`A passphrase has at least ${MIN_LENGTH} characters.`)
  return passphrase
}

export async function askPassphrase(question: string, signal: AbortSignal): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError('A passphrase is needed: name its file with --passphrase-file.')
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await terminal.question('', { signal })
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}
