// Enforces the structure of the sources: imports between modules, and the places of time, randomness, SQL and settings. A failure names the
// place, the rule and the alternative.
import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')

interface ModuleRules {
  /** Modules of src that it may import, besides itself. */
  modules: readonly string[]
  /** Single files of other modules that it may import. */
  files?: readonly string[]
  /** The only file of the parent module that may import this one. */
  onlyImportedBy?: string
  /** Allowed packages; of node:* all, unless `node` lists them. */
  packages?: readonly string[]
  node?: readonly string[]
  instead: string
}

const ROLE_MODULE: Pick<ModuleRules, 'modules' | 'instead'> = {
  modules: ['actions', 'domain', 'runtime', 'store'],
  instead: 'roles communicate through tables: write a row in an action and let the other role claim it',
}
const FASTIFY = ['fastify', 'zod']

const MODULES: Record<string, ModuleRules> = {
  domain: {
    modules: [],
    packages: ['libphonenumber-js'],
    node: ['node:assert/strict', 'node:crypto', 'node:net', 'node:zlib'],
    instead: 'rules are pure: load the facts in an action and pass them in',
  },
  runtime: {
    modules: [],
    packages: ['pino', '@prometheus-io/client'],
    instead: 'runtime must not depend on messages: pass a function in',
  },
  smpp: {
    modules: [],
    // D3: pricing and encoding use the same GSM alphabet.
    files: ['src/domain/text-encoding.ts'],
    instead: 'smpp is only the protocol: pass a function in',
  },
  store: {
    modules: ['domain', 'runtime'],
    packages: ['pg'],
    instead: 'store only reads and writes: put the logic into an action',
  },
  actions: {
    modules: ['store', 'domain', 'runtime'],
    instead: 'roles call actions, not the reverse: pass in what the action needs',
  },
  http: {
    modules: ['domain', 'runtime'],
    packages: FASTIFY,
    instead: 'http is shared by api and manage: put the rest into one of them',
  },
  backup: {
    modules: ['actions', 'domain', 'runtime', 'store'],
    instead: 'backup is only the format of the files: put the rest into an action or into boot/database-commands',
  },
  api: { modules: [...ROLE_MODULE.modules, 'http'], packages: FASTIFY, instead: ROLE_MODULE.instead },
  manage: { modules: [...ROLE_MODULE.modules, 'http', 'identity'], packages: FASTIFY, instead: ROLE_MODULE.instead },
  callbacks: { modules: [...ROLE_MODULE.modules, 'http'], packages: FASTIFY, instead: ROLE_MODULE.instead },
  identity: {
    modules: [],
    packages: ['@simplewebauthn/server', 'openid-client', 'nodemailer'],
    instead: 'identity talks to authenticators, providers and mail servers: put the rest into an action',
  },
  console: {
    modules: ['http', 'runtime'],
    packages: ['fastify', 'esbuild'],
    instead: 'console only bundles and serves pages: use the management API for data',
  },
  docs: {
    modules: ['http'],
    packages: ['fastify', 'marked'],
    instead: 'docs only serves docs/ and the OpenAPI documents: write it there',
  },
  delivery: { ...ROLE_MODULE, modules: [...ROLE_MODULE.modules, 'outbound'] },
  'delivery/smpp': {
    modules: [...ROLE_MODULE.modules, 'smpp'],
    files: ['src/delivery/connection.ts'],
    onlyImportedBy: 'src/delivery/carriers.ts',
    instead: 'a protocol uses only delivery/connection.ts: call an event of its connection',
  },
  'delivery/http': {
    modules: [...ROLE_MODULE.modules, 'outbound'],
    packages: ['undici'],
    files: ['src/delivery/connection.ts'],
    onlyImportedBy: 'src/delivery/carriers.ts',
    instead: 'a protocol uses only delivery/connection.ts: call an event of its connection',
  },
  outbound: {
    modules: ['domain', 'runtime'],
    packages: ['undici'],
    instead: 'outbound must not depend on messages: pass a function in',
  },
  simulator: { modules: [...ROLE_MODULE.modules, 'smpp'], instead: ROLE_MODULE.instead },
  webhooks: { ...ROLE_MODULE, modules: [...ROLE_MODULE.modules, 'outbound'], packages: ['undici'] },
  cli: {
    modules: [],
    // D46: the CLI signs forwarded webhooks like the service.
    files: ['src/domain/webhooks/signature.ts'],
    instead: 'the CLI uses only HTTP: call the service',
  },
}
/** The entries and boot may import every module. */
const ENTRY = ['src/main.ts', 'src/hulaki.ts']
const isEntry = (file: string) => ENTRY.includes(file) || moduleOf(file) === 'boot'

const sources = globSync('src/**/*.ts', { cwd: ROOT }).map(asPosix).sort()
const everything = globSync(
  ['*', '.env.example', '.ci/*', '{bin,src,ui,sdk,test,scripts,deploy,docs,bench,examples}/**/*'],
  {
    cwd: ROOT,
    // Installed packages of examples.
    exclude: ['examples/*/node_modules'],
  },
)
  .filter((file) => statSync(join(ROOT, file)).isFile())
  .map(asPosix)

test('every file of src belongs to a module or is an entry', () => {
  const strays = sources.filter((file) => !isEntry(file) && !(moduleOf(file) in MODULES))
  none(strays.map((file) => `${file}: belongs to no module; move it into one, or add the module to this test`))
})

test('modules import only what their rules allow', () => {
  none(
    sources.flatMap((file) => {
      const module = MODULES[moduleOf(file)]
      if (!module) return []
      return importsOf(file)
        .filter(({ name }) => !mayImport(file, module, name))
        .map(({ line, name }) => `${file}:${line}: ${moduleOf(file)} may not import ${name}; ${module.instead}`)
    }),
  )
})

/**
 * These layers have the same subject folders; each subject may import those after it. Files outside of the folders are for all subjects.
 */
const LAYERS = ['domain', 'store', 'actions', 'manage']
const NO_SUBJECT = 'files without a subject'
const SUBJECTS = [
  ['service'],
  ['carriers'],
  ['messages'],
  ['codes', 'webhooks', 'templates', 'people'],
  ['workspaces'],
  [NO_SUBJECT],
  ['database'],
]

test('subjects of a layer import each other in one order', () => {
  const rankOf = (subject: string) => SUBJECTS.findIndex((it) => it.includes(subject))
  const layered = sources.filter((file) => LAYERS.includes(file.split('/')[1] ?? ''))
  none(
    layered
      .filter((file) => rankOf(subjectOf(file)) === -1)
      .map((file) => `${file}: ${subjectOf(file)} is not a subject`),
  )
  none(
    layered.flatMap((file) =>
      importsOf(file).flatMap(({ line, name }) => {
        const target = targetOf(file, name)
        const [own, other] = [subjectOf(file), subjectOf(target)]
        if (target.split('/')[1] !== file.split('/')[1] || own === other || rankOf(own) < rankOf(other)) return []
        return [
          `${file}:${line}: ${own} may not import ${other}; pass the difference in, or move the shared part to a later subject`,
        ]
      }),
    ),
  )
})

test('no import cycles', () => {
  const code = [...sources, ...globSync('ui/**/*.{ts,tsx}', { cwd: ROOT }).map(asPosix)]
  const arrows = new Map(code.map((file) => [file, importsOf(file).map(({ name }) => targetOf(file, name))]))
  const done = new Set<string>()
  const walk = (file: string, way: string[]): string[] => {
    const at = way.indexOf(file)
    if (at >= 0) return [`${[...way.slice(at), file].join(' → ')}: move the shared part into its own file`]
    if (done.has(file)) return []
    const found = (arrows.get(file) ?? []).flatMap((next) => walk(next, [...way, file]))
    done.add(file)
    return found
  }
  none(code.flatMap((file) => walk(file, [])))
})

test('only delivery/smpp and the simulator use SMPP', () => {
  // Carrier settings are not the protocol.
  const isSettings = (file: string) => file.startsWith('src/domain/')
  const users = /^src\/(smpp|delivery\/smpp|simulator)\//
  none(
    find(/from '(?!.*\/carriers\/).*\/smpp\/.*'/, {
      in: sources.filter(
        (file) => !users.test(file) && file !== MODULES['delivery/smpp']?.onlyImportedBy && !isSettings(file),
      ),
      say: 'protocols are behind delivery/connection.ts; use a connection',
    }),
  )
})

test('protocol-independent code names no protocol', () => {
  const neutral =
    /^src\/(delivery\/worker|actions\/messages|store\/messages|domain\/messages)\/|^src\/delivery\/connection\.ts$/
  none(
    find(/http|smpp/i, {
      in: sources.filter((file) => neutral.test(file)),
      say: 'use a rule of domain/carriers, or an event of the connection',
    }),
  )
})

test('imports are relative, end in .ts, stay in the checkout and never name main.ts', () => {
  const code = [...sources, ...globSync('{test,scripts,bench}/**/*.ts', { cwd: ROOT }).map(asPosix)]
  none(
    code.flatMap((file) =>
      importsOf(file)
        .filter(({ name }) => name.startsWith('.'))
        .flatMap(({ line, name }) => {
          const target = targetOf(file, name)
          if (!/\.(ts|json)$/.test(name)) return [`${file}:${line}: ${name} has no .ts; write the full file name`]
          if (target === 'src/main.ts') return [`${file}:${line}: main.ts is the entry; import what it imports`]
          if (target.startsWith('..')) return [`${file}:${line}: ${name} is outside of the checkout; copy the file in`]
          return []
        }),
    ),
  )
})

test('ui imports only itself, its packages and portable rules; screens never import each other', () => {
  const packages = ['preact', 'wouter-preact', '@tanstack/preact-query']
  const shared = [
    'src/domain/durations.ts',
    'src/domain/time-ranges.ts',
    'src/domain/carriers/common-settings.ts',
    'src/domain/people/masking.ts',
    'src/domain/codes/otp-text.ts',
    'src/domain/webhooks/signature-tolerance.ts',
    'src/domain/templates/template.ts',
    'src/domain/topics.ts',
    'src/domain/text-encoding.ts',
  ]
  const screens = new Set(globSync('ui/*/screen.tsx', { cwd: ROOT }).map((file) => asPosix(dirname(file))))
  none(
    globSync('ui/**/*.{ts,tsx}', { cwd: ROOT })
      .map(asPosix)
      .flatMap((file) =>
        importsOf(file).flatMap(({ line, name }) => {
          const say = (why: string) => [`${file}:${line}: ${name} is not allowed; ${why}`]
          if (!name.startsWith('.')) {
            const isKnown = packages.some((it) => name === it || name.startsWith(`${it}/`))
            return isKnown ? [] : say('pages have no other packages; write the code, or move it into the service')
          }
          const target = targetOf(file, name)
          if (!target.startsWith('ui/'))
            return shared.includes(target)
              ? []
              : say('use the management API, or make the rule independent of Node and add it here')
          const other = asPosix(dirname(target))
          const isAnothers =
            screens.has(other) && screens.has(asPosix(dirname(file))) && other !== asPosix(dirname(file))
          return isAnothers ? say('put shared parts of screens into ui/parts') : []
        }),
      ),
  )
})

test('the SDK imports only its own files', () => {
  none(
    globSync('sdk/src/*.ts', { cwd: ROOT })
      .map(asPosix)
      .flatMap((file) =>
        importsOf(file)
          .filter(({ name }) => !/^\.\/[\w-]+\.ts$/.test(name))
          .map(
            ({ line, name }) => `${file}:${line}: ${name} is not allowed; the SDK requires only fetch and Web Crypto`,
          ),
      ),
  )
})

test('no export is used by tests only', () => {
  const words = new Map<string, number>()
  for (const file of sources) {
    for (const [word] of linesOf(file).join('\n').matchAll(/\w+/g)) words.set(word, (words.get(word) ?? 0) + 1)
  }
  none(
    sources.flatMap((file) =>
      linesOf(file).flatMap((text, index) => {
        const name = /^export (?:async )?(?:function|const|class|let|interface|type) (\w+)/.exec(text)?.[1]
        if (name === undefined || words.get(name) !== 1) return []
        return [`${file}:${index + 1}: src does not use ${name}; remove it and its tests`]
      }),
    ),
  )
})

test('D3: the GSM alphabet is defined once, for pricing and encoding', () => {
  const holders = sources.filter((file) => linesOf(file).some((text) => text.includes('ΦΓΛΩΠΨΣΘΞ')))
  assert.deepEqual(holders, ['src/domain/text-encoding.ts'])
})

test('only actions open transactions, and only store contains SQL', () => {
  none([
    ...find(/\.transaction\(/, {
      in: sources.filter((file) => !/^src\/actions\/|^src\/store\/database\/(db|migration-steps)\.ts$/.test(file)),
      say: 'only actions open transactions; move the change into src/actions',
    }),
    ...find(/from '.*\/sql\.ts'/, {
      in: sources.filter((file) => !file.startsWith('src/store/')),
      say: 'only store contains SQL; add a function there and call it',
    }),
  ])
})

test('roles and APIs only read the store', () => {
  const isRead = /^(find|list|read|load|count|next|measure|is)[A-Z]|^[A-Z_]+$/
  const withoutTables = ['toAccountState', 'retryDecision']
  const roleModules = sources.filter((file) => MODULES[moduleOf(file)]?.instead === ROLE_MODULE.instead)
  none(
    roleModules.flatMap((file) =>
      [
        ...linesOf(file)
          .join('\n')
          .matchAll(/^import \{([^}]*)\} from '[./]+\/store\/.*'$/gm),
      ]
        .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
        .filter(
          (name) => name !== '' && !name.startsWith('type ') && !isRead.test(name) && !withoutTables.includes(name),
        )
        .map((name) => `${file}: ${name} is not allowed; call it in an action of src/actions`),
    ),
  )
})

test('D20, D21: only actions create, encrypt and decrypt secrets, never an API', () => {
  none(
    find(/\bkeyring\.(seal|open)\(|\brandom\.\w+\(/, {
      in: sources.filter((file) => /^src\/(api|manage|http)\//.test(file)),
      say: 'create it in an action',
    }),
  )
})

test('time and randomness come from the ports of runtime, settings from the entry', () => {
  const inside = sources.filter((file) => !file.startsWith('src/runtime/'))
  // The bundled PostgreSQL starts before the ports exist.
  const withPorts = inside.filter((file) => !file.startsWith('src/store/database/bundled-postgres'))
  none([
    ...find(/\bDate\.now\(|\bnew Date\(\)|Temporal\.Now\b/, {
      in: inside,
      say: 'only runtime reads the clock; take `now` as an argument, or use ports.clock',
    }),
    ...find(/\bMath\.random\(|\brandom(Bytes|Int|UUID|Fill\w*)\b|getRandomValues/, {
      in: withPorts,
      say: 'only runtime creates random values; use ports.random or ports.ids',
    }),
    ...find(/\bprocess\.env\b/, {
      in: sources.filter((file) => !isEntry(file)),
      say: 'only the entry reads the environment; add a setting to config.ts and pass it in',
    }),
  ])
})

test('SQL never reads the clock or creates random values', () => {
  // The exception reads the database clock, to which all processes are synchronized.
  const withSql = everything.filter(
    (file) => /^src\/store\/.*\.(ts|sql)$/.test(file) && file !== 'src/store/database/clock.ts',
  )
  const pattern =
    /(?<![.\w])(now|random|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|gen_random_uuid|uuidv[47]|uuid_generate_v\d)\(\)|\b(current_(date|time|timestamp)|localtime|localtimestamp)\b/i
  none(find(pattern, { in: withSql, say: 'pass the value as a parameter: the clock of the service may be manual' }))
})

test('no open tasks and no local paths', () => {
  const texts = everything.filter((file) => !/\.(pem|png|ico|woff2?)$/.test(file) && file !== 'package-lock.json')
  const escaped = RegExp.escape(ROOT)
  none([
    ...find(/\b(TO[D]O|FIX[M]E|X[X]X|HA[C]K)\b/, { in: texts, say: 'do it now, or open an issue' }),
    ...find(new RegExp(`${escaped}(?![\\w-])|(?<![\\w.])/(home|Users)/\\w|(?<![\\w.])/roo[t]/`), {
      in: texts,
      say: 'this path exists on one machine only; make it relative',
    }),
    ...find(/(?<![\w./])(\.\.\/)+shared\b/, { in: texts, say: 'this is outside of the checkout; copy the file in' }),
    ...find(/"resolved": *"https?:/, {
      in: ['package-lock.json'],
      say: 'the lock file must not name a registry; see .npmrc',
    }),
  ])
})

function moduleOf(file: string): string {
  const [, module = '', within = ''] = file.split('/')
  return `${module}/${within}` in MODULES ? `${module}/${within}` : module
}

function subjectOf(file: string): string {
  const [, , subject = '', ...within] = file.split('/')
  return within.length > 0 ? subject : NO_SUBJECT
}

function targetOf(file: string, name: string): string {
  return name.startsWith('.') ? asPosix(relative(ROOT, resolve(ROOT, dirname(file), name))) : name
}

function mayImport(file: string, module: ModuleRules, name: string): boolean {
  if (name.startsWith('node:')) return module.node?.includes(name) ?? true
  if (!name.startsWith('.')) return (module.packages ?? []).some((it) => name === it || name.startsWith(`${it}/`))
  const target = targetOf(file, name)
  if (module.files?.includes(target) || MODULES[moduleOf(target)]?.onlyImportedBy === file) return true
  return target.startsWith('src/') && [moduleOf(file), ...module.modules].includes(moduleOf(target))
}

function importsOf(file: string): { line: number; name: string }[] {
  return linesOf(file).flatMap((text, index) => {
    const name = /(?:^(?:import|export|\}).* from |^import |\bimport\()'([^']+)'/.exec(text)?.[1]
    return name === undefined ? [] : [{ line: index + 1, name }]
  })
}

function find(pattern: RegExp, { in: files, say }: { in: string[]; say: string }): string[] {
  return files.flatMap((file) =>
    linesOf(file).flatMap((text, index) => {
      const found = pattern.exec(text)?.[0]
      return found === undefined ? [] : [`${file}:${index + 1}: ${found} is not allowed; ${say}`]
    }),
  )
}

function linesOf(file: string): string[] {
  return readFileSync(join(ROOT, file), 'utf8').split('\n')
}

function asPosix(path: string): string {
  return path.split(sep).join('/')
}

function none(faults: string[]): void {
  assert.equal(faults.length, 0, `\n${faults.join('\n')}\n`)
}
