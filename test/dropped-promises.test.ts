// No promise is dropped, because an unhandled rejection ends the process. The first test shows what the check reports.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { droppedPromises } from './harness/dropped-promises.ts'

const ROOT = join(import.meta.dirname, '..')
const PROJECTS = ['tsconfig.json', 'ui/tsconfig.json', 'sdk/tsconfig.json', 'examples/tsconfig.json']

const WORK = `
export async function work(): Promise<void> {}
export const works = () => work()
export class Worker {
  async work(): Promise<void> {}
}
export interface Options {
  run: () => Promise<void>
  maybe?: () => Promise<void>
  done: () => void
}
`

/** The word after \`!\` in a comment is the expected kind for its line. */
const SEEDS = `import { EventEmitter } from 'node:events'
import { rm } from 'node:fs/promises'
import { type Options, Worker, work, works } from './work.ts'

export async function seed(options: Options, ids: string[], kept: Promise<void>[]): Promise<unknown> {
  work() // ! value
  works() // ! value
  new Worker().work() // ! value
  rm('x') // ! value
  options.run() // ! value
  options.maybe?.() // ! value
  void work() // ! value
  work().then(() => {}) // ! value
  work().finally(() => {}) // ! value
  ids.map(() => work()) // ! value
  Promise.all([work()]) // ! value
  ids.length > 0 ? work() : null // ! value
  ids.length > 0 && work() // ! value
  const [, second] = [ids.length > 0 ? work() : null, ids] // ! value
  ids.forEach(async () => work()) // ! result
  new EventEmitter().on('x', async () => {}) // ! result
  setTimeout(work, 1) // ! result
  const listeners: Options[] = [{ ...options, done: () => work() }] // ! result
  const objects: Options[] = [{ ...options, async done() {} }] // ! result
  const late = work() // ! late
  await works()
  await late

  const inTime = work()
  await Promise.all([inTime, works()])
  work().catch(() => {})
  work().then(() => {}, () => {})
  work().catch(() => {}).finally(() => {})
  setTimeout(() => work().catch(() => {}), 1)
  kept.push(work())
  const [first] = [work()]
  return Promise.all([first, second, listeners, objects])
}

export class Listener implements Pick<Options, 'done'> {
  async done(): Promise<void> {} // ! result
}
`

function seeded(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'hulaki-dropped-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'work.ts'), WORK)
  writeFileSync(join(folder, 'seeds.ts'), SEEDS)
  const compilerOptions = { typeRoots: [join(ROOT, 'node_modules/@types')] }
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['.'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  return folder
}

test('reports every kind of dropped promise, and no handled one', (t) => {
  const found = droppedPromises(seeded(t), ['tsconfig.json'])
  const expected = SEEDS.split('\n').flatMap((line, index) => {
    const kind = / \/\/ ! (\w+)$/.exec(line)?.[1]
    return kind ? [`seeds.ts:${index + 1} ${kind}`] : []
  })
  const reported = found.map(({ file, line, kind }) => `${file}:${line} ${kind}`)
  assert.deepEqual(reported.sort(), expected.sort())
})

test('Biome reports dropped promises too', (t) => {
  const folder = seeded(t)
  copyFileSync(join(ROOT, 'biome.json'), join(folder, 'biome.json'))
  const biome = join(ROOT, 'node_modules/.bin/biome')
  const options = ['--vcs-enabled=false', '--max-diagnostics=none', '--colors=off']
  const { stdout, stderr } = spawnSync(biome, ['lint', ...options, '.'], { cwd: folder, encoding: 'utf8' })
  assert.match(stdout + stderr, /seeds\.ts:6:3 lint\/nursery\/noFloatingPromises/)
})

test('no promise is dropped in any source: await it, return it, or handle its rejection', () => {
  const found = droppedPromises(ROOT, PROJECTS)
  assert.deepEqual(
    found.map(({ file, line, kind, code }) => `${file}:${line} ${kind}: ${code}`),
    [],
  )
})
