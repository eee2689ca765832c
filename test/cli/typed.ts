// Runs command lines and returns their output and exit code.
import { randomUUID } from 'node:crypto'
import type { CliContext } from '../../src/cli/context.ts'
import { runCommandLine } from '../../src/cli/run.ts'
import { syncFolder } from '../../src/runtime/sync-folder.ts'
import { OPERATOR_TOKEN } from '../harness/service.ts'

export interface Printed {
  code: number
  out: string
  err: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers whose shape is what it tests
  json: () => any
}

export function typist(url: string, context: Partial<CliContext> = {}) {
  return async (...words: string[]): Promise<Printed> => {
    const out: string[] = []
    const err: string[] = []
    const code = await runCommandLine(words, {
      version: '1.2.3',
      url: () => url,
      tokenFor: () => OPERATOR_TOKEN,
      readFile: (name) => {
        throw new Error(`no test has a file ${name}`)
      },
      syncFolder,
      writeFile: async (name) => {
        throw new Error(`no test writes a file ${name}`)
      },
      newIdempotencyKey: () => 'a-key-of-the-tests',
      newId: randomUUID,
      inspectUpgrade: () => Promise.reject(new Error('no installation')),
      secret: () => null,
      machine: () => 'sita@laptop',
      random: () => 0.5,
      now: () => new Date(),
      runLocally: (command) => {
        throw new Error(`no test here runs ${command.name}`)
      },
      width: null,
      out: (line) => out.push(line),
      err: (line) => err.push(line),
      signal: new AbortController().signal,
      ...context,
    })
    return { code, out: out.join('\n'), err: err.join('\n'), json: () => JSON.parse(out.join('\n')) }
  }
}
