// Merges the chunks of a bundle into few files: the core, which the entry imports, and the shared parts of the screens. esbuild makes a chunk
// for every set of screens that share a module, so that the first screen would need dozens of requests.
import { hash } from 'node:crypto'
import { basename } from 'node:path'
import type { build as Build, Metafile, OutputFile } from 'esbuild'

export interface Merged {
  /** The text of each file by its name. */
  files: ReadonlyMap<string, string>
  entry: string
  style: string
  /** Everything that the entry imports. */
  core: string
  /** What screens share; loaded with the first screen. */
  shared: string
  /** The files of the texts by language. */
  words: Readonly<Record<string, string>>
}

interface Chunk {
  text: string
  exports: readonly string[]
  imports: readonly string[]
  entryPoint: string | undefined
  /** The source files. */
  sources: readonly string[]
}

type Chunks = ReadonlyMap<string, Chunk>

/** Chunks that become one file. */
interface Group {
  file: string
  names: readonly string[]
}

/** An import statement of a chunk, as esbuild writes it: `import{a as b,c}from"./part-X.js";` or `import"./part-X.js";`. */
const IMPORT = /import(?:\{([^}]*)\}from)?"\.\/([\w-]+\.js)";/g
const SHARED_SOURCE = /^(?:parts\/|\.\.\/)/
const CHUNK_NAME = /"\.\/((?:console|part)-[A-Z0-9]{8})\.js"/g

export async function mergeChunks(
  outputs: readonly OutputFile[],
  described: Metafile['outputs'],
  build: typeof Build,
): Promise<Merged> {
  const chunks = chunksOf(outputs, described)
  const [main, { cssBundle = '' } = {}] =
    Object.entries(described).find(([, { entryPoint }]) => entryPoint === 'console.ts') ?? []
  const style = outputs.find(({ path }) => basename(path) === basename(cssBundle))
  if (!main || !style) throw new Error('the bundle has no entry with a style sheet')
  const entry = basename(main)
  // All names contain the hash of the whole build: files name each other, so none can have a hash of its own content.
  const version = hash('sha256', Array.from(chunks.values(), ({ text }) => text).join(), 'hex').slice(0, 8)
  const finalName = (name: string) => name.replace(/\.js$/, `-${version}.js`)
  const core = { file: finalName('core.js'), names: staticImportsOf(entry, chunks) }
  // What only the screens of one folder share stays a file of its own.
  const isShared = (name: string, { entryPoint, sources }: Chunk) =>
    entryPoint === undefined && !core.names.includes(name) && sources.every((it) => SHARED_SOURCE.test(it))
  const sharedNames = [...chunks].filter(([name, chunk]) => isShared(name, chunk)).map(([name]) => name)
  const shared = { file: finalName('shared.js'), names: sharedNames }
  const groups = [core, shared]
  const finish = (text: string) =>
    redirectImports(text, groups).replace(CHUNK_NAME, (_, name: string) => `"./${finalName(`${name}.js`)}"`)
  const alone = [...chunks].filter(([name]) => groups.every(({ names }) => !names.includes(name)))
  const words = alone.flatMap(([name, { entryPoint }]) => {
    const language = /^words\/(\w+)\.ts$/.exec(entryPoint ?? '')?.[1]
    return language ? [[language, finalName(name)]] : []
  })
  return {
    files: new Map([
      ...alone.map(([name, { text }]) => [finalName(name), finish(text)] as const),
      [core.file, finish(await bundleGroup(core, chunks, { build, others: [shared] }))],
      [shared.file, finish(await bundleGroup(shared, chunks, { build, others: [core] }))],
      [basename(style.path), style.text],
    ]),
    entry: finalName(entry),
    style: basename(style.path),
    core: core.file,
    shared: shared.file,
    words: Object.fromEntries(words),
  }
}

function chunksOf(outputs: readonly OutputFile[], described: Metafile['outputs']): Chunks {
  const texts = new Map(outputs.map(({ path, text }) => [basename(path), text]))
  const scripts = Object.entries(described).filter(([path]) => path.endsWith('.js'))
  return new Map(
    scripts.map(([path, { exports, imports, entryPoint, inputs }]) => {
      const name = basename(path)
      const statics = imports.filter(({ kind }) => kind === 'import-statement').map((it) => basename(it.path))
      const sources = Object.keys(inputs)
      return [name, { text: texts.get(name) ?? '', exports, imports: statics, entryPoint, sources }]
    }),
  )
}

function staticImportsOf(entry: string, chunks: Chunks): string[] {
  const found = new Set<string>()
  const visit = (name: string) => {
    for (const imported of chunks.get(name)?.imports ?? []) {
      if (found.has(imported)) continue
      found.add(imported)
      visit(imported)
    }
  }
  visit(entry)
  return [...found]
}

/** Imports of a chunk in a group become imports of the group's file. */
function redirectImports(text: string, groups: readonly Group[]): string {
  return text.replace(IMPORT, (statement, imported: string | undefined, from: string) => {
    const group = groups.find(({ names }) => names.includes(from))
    if (!group) return statement
    // A class map or a text has no effect of its own: an import without names adds nothing.
    if (imported === undefined) return ''
    const renamed = imported.split(',').map((each) => {
      const [name = '', local = name] = each.split(' as ')
      return `${exportName(group, from, name)} as ${local}`
    })
    return `import{${renamed.join()}}from"./${group.file}";`
  })
}

/** Every export of every chunk, under a name that is unique in the group. */
function exportName({ names }: Group, chunk: string, name: string): string {
  return `_${names.indexOf(chunk)}${name}`
}

async function bundleGroup(
  group: Group,
  chunks: Chunks,
  { build, others }: { build: typeof Build; others: readonly Group[] },
): Promise<string> {
  const textOf = (name: string) => redirectImports(chunks.get(name)?.text ?? '', others)
  const exported = group.names.map((name) => {
    const names = chunks.get(name)?.exports.map((each) => `${each} as ${exportName(group, name, each)}`)
    return `export{${names?.join()}}from"./${name}"`
  })
  const { outputFiles } = await build({
    stdin: { contents: exported.join('\n') },
    write: false,
    bundle: true,
    format: 'esm',
    target: 'es2023',
    minify: true,
    legalComments: 'none',
    logLevel: 'silent',
    plugins: [
      {
        name: 'chunks',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /./ }, ({ path }) =>
            group.names.includes(basename(path))
              ? { path: basename(path), namespace: 'chunk' }
              : { path, external: true },
          )
          onLoad({ filter: /./, namespace: 'chunk' }, ({ path }) => ({ contents: textOf(path) }))
        },
      },
    ],
  })
  return outputFiles[0]?.text ?? ''
}
