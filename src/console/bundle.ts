// Bundles `ui/` in memory: one entry, one lazy chunk per screen, one style sheet.
import { hash } from 'node:crypto'
import { globSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { OutputFile } from 'esbuild'

export interface Asset {
  type: string
  plain: Buffer
  gzip: Buffer
  brotli: Buffer
}

export interface Bundle {
  /** By file name, which contains the hash of the content. */
  assets: ReadonlyMap<string, Asset>
  script: string
  style: string
  /** Chunks that the script imports statically, without the texts of each language. */
  preloads: readonly string[]
  words: Readonly<Record<string, string>>
  /** A message for browsers without modules. */
  oldBrowsers: string
}

const UI = join(import.meta.dirname, '..', '..', 'ui')
const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** The same sources give the same file names, so every process can serve the files of a page from another process. */
export async function bundleConsole(): Promise<Bundle> {
  const { build, stop } = await import('esbuild')
  try {
    const result = await build({
      stdin: { contents: entry(), resolveDir: UI, sourcefile: 'console.ts' },
      absWorkingDir: UI,
      outdir: UI,
      write: false,
      bundle: true,
      splitting: true,
      format: 'esm',
      target: 'es2023',
      minify: true,
      jsx: 'automatic',
      jsxImportSource: 'preact',
      entryNames: 'console-[hash]',
      chunkNames: 'part-[hash]',
      loader: { '.module.css': 'local-css' },
      legalComments: 'none',
      metafile: true,
      logLevel: 'silent',
    })
    return assemble(result.outputFiles, result.metafile.outputs)
  } finally {
    // Ends esbuild's child process.
    await stop()
  }
}

/** All styles are in the style sheet of the entry: styles that load with a screen would shift the layout. */
function entry(): string {
  const styles = globSync('**/*.css', { cwd: UI }).map((file) => file.split(sep).join('/'))
  styles.sort((one, other) => order(one) - order(other) || (one < other ? -1 : 1))
  return [...styles, 'main.tsx'].map((file) => `import './${file}'`).join('\n')
}

/** The base comes first, then the parts, so that a screen can override both. */
function order(file: string): number {
  return file === 'base.css' ? 0 : file.startsWith('parts/') ? 1 : 2
}

interface Output {
  entryPoint?: string
  cssBundle?: string
  imports: readonly { path: string; kind: string }[]
}

function assemble(files: readonly OutputFile[], outputs: Record<string, Output>): Bundle {
  const assets = new Map(files.map((file) => [nameOf(relative(UI, file.path)), assetOf(file.path, file.contents)]))
  const main = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === 'console.ts')
  if (!main?.[1].cssBundle) throw new Error('the bundle has no entry with a style sheet')
  const oldBrowsers = `old-${hash('sha256', OLD_BROWSERS, 'hex').slice(0, 8)}.js`
  assets.set(oldBrowsers, assetOf(oldBrowsers, Buffer.from(OLD_BROWSERS)))
  const preloads = main[1].imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => nameOf(path))
  const words = Object.entries(outputs).flatMap(([path, { entryPoint }]) => {
    const language = /^words\/(\w+)\.ts$/.exec(entryPoint ?? '')?.[1]
    return language ? [[language, nameOf(path)]] : []
  })
  return {
    assets,
    script: nameOf(main[0]),
    style: nameOf(main[1].cssBundle),
    preloads,
    words: Object.fromEntries(words),
    oldBrowsers,
  }
}

function nameOf(path: string): string {
  return path.split(sep).at(-1)?.split('/').at(-1) ?? path
}

function assetOf(path: string, contents: Uint8Array): Asset {
  const plain = Buffer.from(contents)
  // Level 6 takes a few milliseconds.
  const brotli = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })
  return { type: TYPES[extname(path)] ?? 'application/octet-stream', plain, gzip: gzipSync(plain), brotli }
}

const OLD_BROWSERS = `document.getElementById('root').textContent='This page needs a newer browser. The API works without it: /docs';`
