// Bundles `ui/` in memory: an entry, a core that it imports, what screens share, a lazy chunk per screen, and one style sheet.
import { hash } from 'node:crypto'
import { globSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { type Asset, compressAsset } from '../http/assets.ts'
import { type Merged, mergeChunks } from './merge-chunks.ts'

export interface Bundle {
  /** By file name, which contains the hash of the content. */
  assets: ReadonlyMap<string, Asset>
  script: string
  style: string
  /** Everything that the script imports. */
  core: string
  /** What screens share; loaded with the first screen. */
  shared: string
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
    return assemble(await mergeChunks(result.outputFiles, result.metafile.outputs, build))
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

function assemble({ files, entry: script, ...names }: Merged): Bundle {
  const assets = new Map(Array.from(files, ([name, text]) => [name, assetOf(name, Buffer.from(text))]))
  const oldBrowsers = `old-${hash('sha256', OLD_BROWSERS, 'hex').slice(0, 8)}.js`
  assets.set(oldBrowsers, assetOf(oldBrowsers, Buffer.from(OLD_BROWSERS)))
  return { assets, script, ...names, oldBrowsers }
}

function assetOf(path: string, contents: Uint8Array): Asset {
  return compressAsset(TYPES[extname(path)] ?? 'application/octet-stream', contents)
}

const OLD_BROWSERS = `document.getElementById('root').textContent='This page needs a newer browser. The API works without it: /docs';`
