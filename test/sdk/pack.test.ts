// The packed SDK: its content, its platforms, and its types.
import assert from 'node:assert/strict'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { buildSync } from 'esbuild'
import { EXPECTED, thingsToTry, tryClient } from '../harness/client-trial.ts'
import { compile, installClient } from '../harness/packed-client.ts'
import { CHECKOUT } from '../harness/process.ts'
import { sharedService } from '../harness/service.ts'
import { listingsOf } from './listings.ts'

const [service, { folder, packed }] = await Promise.all([sharedService(), installClient()])

test('contains code, types and documentation, and has no dependencies', () => {
  const modules = packed.filter((name) => name.startsWith('dist/'))
  const sources = [
    'answer',
    'call',
    'client',
    'deliveries',
    'error',
    'index',
    'machine',
    'platform',
    'retry',
    'types',
    'webhook',
  ]
  assert.deepEqual(modules, sources.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]).toSorted())
  assert.deepEqual(
    packed.filter((name) => !modules.includes(name)),
    ['LICENSE', 'README.md', 'package.json'],
  )
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  assert.deepEqual(Object.keys(lock.packages), ['', 'node_modules/@hulaki/client'])
})

test('installs without a network, and runs on this Node against the real service', async () => {
  await tryClient(folder, [process.execPath], await thingsToTry(service))
})

test('runs with web globals only, and calls fetch as browsers require', async () => {
  const { outputFiles } = buildSync({
    stdin: { contents: readFileSync(join(CHECKOUT, 'test', 'sdk', 'program.mjs'), 'utf8'), resolveDir: folder },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
  })
  const toTry = await thingsToTry(service)
  const printed = Promise.withResolvers<string>()
  const context: Record<string, unknown> = createContext({
    AbortController,
    AbortSignal,
    clearTimeout,
    crypto,
    Headers,
    performance,
    setTimeout,
    TextDecoder,
    TextEncoder,
    URL,
    fetch(this: unknown, ...request: Parameters<typeof fetch>) {
      if (this !== undefined && this !== context.globalThis) throw new TypeError('Illegal invocation')
      return fetch(...request)
    },
    process: { env: { TO_TRY: JSON.stringify(toTry), PURPOSE: 'vm' } },
    console: { log: printed.resolve },
  })
  context.globalThis = runInContext('globalThis', context)
  const source = outputFiles[0]?.text ?? ''
  const running = runInContext(`'use strict'; (async () => { ${source} })()`, context) as Promise<void>
  running.catch(printed.reject)
  assert.deepEqual(JSON.parse(await printed.promise), EXPECTED)
})

/** A switch over every code, which must not compile without one of them. */
function switchOver(codes: string[]): string {
  const cases = codes.map((code) => `    case '${code}':`).join('\n')
  return `import type { HulakiError } from '@hulaki/client'
export function tell(error: HulakiError): string {
  switch (error.code) {
${cases}
      return error.code
  }
}
`
}

test('compiles a switch only if no code is missing, with the types of Node and of browsers', async () => {
  const types = readFileSync(join(CHECKOUT, 'sdk', 'src', 'types.ts'), 'utf8')
  const ofService = /^export type ErrorCode = (.*)$/m.exec(types)?.[1]?.replaceAll("'", '').split(' | ') ?? []
  const codes = [...ofService, 'network', 'timeout', 'unreadable', 'aborted']
  writeFileSync(join(folder, 'whole.ts'), switchOver(codes))
  writeFileSync(join(folder, 'without.ts'), switchOver(codes.filter((code) => code !== 'insufficient_balance')))
  writeFileSync(join(folder, 'mistyped.ts'), switchOver([...codes, 'insuficient_balance']))
  symlinkSync(join(CHECKOUT, 'node_modules', '@types'), join(folder, 'node_modules', '@types'))
  const files = ['whole.ts', 'without.ts', 'mistyped.ts']
  const node = { module: 'nodenext', lib: ['es2022'], types: ['node'] }
  const browser = { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] }
  const results = await Promise.all([
    compile(folder, 'node.json', node, files),
    compile(folder, 'browser.json', browser, files),
  ])
  for (const errors of results) {
    assert.equal(errors.length, 2, errors.join('\n'))
    assert.match(
      errors.toSorted().join('\n'),
      /^mistyped\.ts\(\d+,10\): error TS2678.*\nwithout\.ts\(2,\d+\): error TS2366/,
    )
  }
})

test('compiles every listing of the README against the package', async () => {
  symlinkSync(join(CHECKOUT, 'node_modules', 'fastify'), join(folder, 'node_modules', 'fastify'))
  const { files, declared } = listingsOf(join(CHECKOUT, 'sdk', 'README.md'))
  assert.ok(files.length >= 10)
  for (const { name, text } of [...files, declared]) writeFileSync(join(folder, name), text)
  const options = { module: 'nodenext', lib: ['es2022'], types: ['node'], skipLibCheck: true }
  const errors = await compile(folder, 'listings.json', options, [...files.map(({ name }) => name), declared.name])
  assert.deepEqual(errors, [])
})
