// The order of the rooms, held by reading its sources: who may import whom, and where time, chance, SQL and settings live.
// A failure names the place, the rule, and what to do instead.
import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')

interface Room {
  /** Folders of src whose files it may import, beside its own. */
  rooms: readonly string[]
  /** Files of other rooms that it may import. */
  files?: readonly string[]
  /** A room within a room is known to the rest of that one by this file alone. */
  knownTo?: string
  /** Packages it may import; of node:* all, unless they are listed. */
  packages?: readonly string[]
  node?: readonly string[]
  instead: string
}

const STATION: Pick<Room, 'rooms' | 'instead'> = {
  rooms: ['actions', 'domain', 'runtime', 'store'],
  instead: 'stations talk through tables: write a row in an action and let the other role claim it',
}
const FASTIFY = ['fastify', 'zod', '@scalar/fastify-api-reference']

const ROOMS: Record<string, Room> = {
  domain: {
    rooms: [],
    packages: ['libphonenumber-js'],
    node: ['node:assert/strict', 'node:crypto', 'node:net', 'node:zlib'],
    instead: 'rules are pure: load the facts in an action and hand them in',
  },
  runtime: {
    rooms: [],
    packages: ['pino', '@prometheus-io/client'],
    instead: 'runtime is the machine and knows nothing of messages: hand in what differs as a function',
  },
  smpp: {
    rooms: [],
    // D3: the GSM alphabet that prices a text is the one on the wire.
    files: ['src/domain/text-encoding.ts'],
    instead: 'smpp is the protocol and knows nothing of us: hand in what differs as a function',
  },
  store: {
    rooms: ['domain', 'runtime'],
    packages: ['pg'],
    instead: 'store only reads and writes: put what calls it into an action',
  },
  actions: {
    rooms: ['store', 'domain', 'runtime'],
    instead: 'an action is called by roles, never the other way round: hand in what it needs',
  },
  http: {
    rooms: ['domain', 'runtime'],
    packages: FASTIFY,
    instead: 'http is what api and manage share: put what needs more into one of them',
  },
  api: { rooms: [...STATION.rooms, 'http'], packages: FASTIFY, instead: STATION.instead },
  manage: { rooms: [...STATION.rooms, 'http', 'identity'], packages: FASTIFY, instead: STATION.instead },
  callbacks: { rooms: [...STATION.rooms, 'http'], packages: FASTIFY, instead: STATION.instead },
  identity: {
    rooms: [],
    packages: ['@simplewebauthn/server', 'openid-client', 'nodemailer'],
    instead: 'identity speaks with authenticators, providers and mail servers: what follows from it is an action',
  },
  console: {
    rooms: ['http', 'runtime'],
    packages: ['fastify', 'esbuild'],
    instead: 'console bundles and serves pages; what they show is a call of the management API',
  },
  docs: {
    rooms: ['http'],
    packages: ['fastify', 'marked'],
    instead: 'docs serves what is written in docs/ and what the APIs say of themselves: write it there',
  },
  delivery: { ...STATION, rooms: [...STATION.rooms, 'outbound'] },
  'delivery/smpp': {
    rooms: [...STATION.rooms, 'smpp'],
    files: ['src/delivery/connection.ts'],
    knownTo: 'src/delivery/carriers.ts',
    instead: 'a protocol knows the seam and no more of delivery: call an event of its connection',
  },
  'delivery/http': {
    rooms: [...STATION.rooms, 'outbound'],
    packages: ['undici'],
    files: ['src/delivery/connection.ts'],
    knownTo: 'src/delivery/carriers.ts',
    instead: 'a protocol knows the seam and no more of delivery: call an event of its connection',
  },
  outbound: {
    rooms: ['domain', 'runtime'],
    packages: ['undici'],
    instead: 'outbound dials and knows nothing of messages: hand in what differs as a function',
  },
  simulator: { rooms: [...STATION.rooms, 'smpp'], instead: STATION.instead },
  webhooks: { ...STATION, rooms: [...STATION.rooms, 'outbound'], packages: ['undici'] },
  cli: {
    rooms: [],
    // D46: what it posts itself is headed and signed as the service does it.
    files: ['src/domain/webhooks/signature.ts'],
    instead: 'the command line speaks only HTTP: ask the service',
  },
}
/** The entries, and the room that puts the others together, so it may see them all. */
const ENTRY = ['src/main.ts', 'src/hulaki.ts']
const isEntry = (file: string) => ENTRY.includes(file) || roomOf(file) === 'boot'

const sources = globSync('src/**/*.ts', { cwd: ROOT }).map(asPosix).sort()
const everything = globSync(['*', '.env.example', '.ci/*', '{bin,src,ui,sdk,test,scripts,docs,bench,examples}/**/*'], {
  cwd: ROOT,
  // An example that somebody tried has packages of its own.
  exclude: ['examples/*/node_modules'],
})
  .filter((file) => statSync(join(ROOT, file)).isFile())
  .map(asPosix)

test('every file of src is part of the entry or stands in a room', () => {
  const astray = sources.filter((file) => !isEntry(file) && !(roomOf(file) in ROOMS))
  none(astray.map((file) => `${file}: belongs to no room; put it into one, or describe the new room in this test`))
})

test('rooms import only what their arrows allow', () => {
  none(
    sources.flatMap((file) => {
      const room = ROOMS[roomOf(file)]
      if (!room) return []
      return importsOf(file)
        .filter(({ name }) => !mayImport(file, room, name))
        .map(({ line, name }) => `${file}:${line}: ${roomOf(file)} may not import ${name}; ${room.instead}`)
    }),
  )
})

/** The same folders in each of these layers; each may import those after it. Files beside the folders are for all of them. */
const LAYERS = ['domain', 'store', 'actions', 'manage']
const BESIDE = 'beside the folders'
const SUBJECTS = [
  ['service'],
  ['carriers'],
  ['messages'],
  ['codes', 'webhooks', 'templates', 'people'],
  ['workspaces'],
  [BESIDE],
  ['database'],
]

test('inside a layer subjects import each other in one order', () => {
  const rankOf = (subject: string) => SUBJECTS.findIndex((it) => it.includes(subject))
  const layered = sources.filter((file) => LAYERS.includes(file.split('/')[1] ?? ''))
  none(
    layered.filter((file) => rankOf(subjectOf(file)) === -1).map((file) => `${file}: ${subjectOf(file)} is no subject`),
  )
  none(
    layered.flatMap((file) =>
      importsOf(file).flatMap(({ line, name }) => {
        const target = targetOf(file, name)
        const [own, other] = [subjectOf(file), subjectOf(target)]
        if (target.split('/')[1] !== file.split('/')[1] || own === other || rankOf(own) < rankOf(other)) return []
        return [
          `${file}:${line}: ${own} may not import ${other}; hand in what differs, or move what both need behind them`,
        ]
      }),
    ),
  )
})

test('no file imports itself by way of others', () => {
  const code = [...sources, ...globSync('ui/**/*.{ts,tsx}', { cwd: ROOT }).map(asPosix)]
  const arrows = new Map(code.map((file) => [file, importsOf(file).map(({ name }) => targetOf(file, name))]))
  const done = new Set<string>()
  const walk = (file: string, way: string[]): string[] => {
    const at = way.indexOf(file)
    if (at >= 0) return [`${[...way.slice(at), file].join(' → ')}: move what they share into a file of its own`]
    if (done.has(file)) return []
    const found = (arrows.get(file) ?? []).flatMap((next) => walk(next, [...way, file]))
    done.add(file)
    return found
  }
  none(code.flatMap((file) => walk(file, [])))
})

test('SMPP is spoken in delivery/smpp and by the simulator alone; the rest of delivery knows connections', () => {
  // Settings of carriers are no protocol.
  const isSettings = (file: string) => file.startsWith('src/domain/')
  const speakers = /^src\/(smpp|delivery\/smpp|simulator)\//
  none(
    find(/from '(?!.*\/carriers\/).*\/smpp\/.*'/, {
      in: sources.filter(
        (file) => !speakers.test(file) && file !== ROOMS['delivery/smpp']?.knownTo && !isSettings(file),
      ),
      say: 'what a carrier speaks is behind delivery/connection.ts; ask a connection for it',
    }),
  )
})

test('what is the same for every carrier names no protocol', () => {
  const neutral =
    /^src\/(delivery\/worker|actions\/messages|store\/messages|domain\/messages)\/|^src\/delivery\/connection\.ts$/
  none(
    find(/http|smpp/i, {
      in: sources.filter((file) => neutral.test(file)),
      say: 'ask domain/carriers for a rule that holds for every carrier, or let the protocol listen to an event',
    }),
  )
})

test('imports are relative, carry their .ts, stay in the checkout, and never name main.ts', () => {
  const code = [...sources, ...globSync('{test,scripts,bench}/**/*.ts', { cwd: ROOT }).map(asPosix)]
  none(
    code.flatMap((file) =>
      importsOf(file)
        .filter(({ name }) => name.startsWith('.'))
        .flatMap(({ line, name }) => {
          const target = targetOf(file, name)
          if (!/\.(ts|json)$/.test(name)) return [`${file}:${line}: ${name} lacks its .ts; write the whole file name`]
          if (target === 'src/main.ts') return [`${file}:${line}: main.ts is the entry; import what it imports`]
          if (target.startsWith('..')) return [`${file}:${line}: ${name} leaves the checkout; bring the file in`]
          return []
        }),
    ),
  )
})

test('the browser knows itself, its packages, and rules that need no machine; screens never import each other', () => {
  const packages = ['preact', 'wouter-preact', '@tanstack/preact-query']
  const shared = [
    'src/domain/carriers/common-settings.ts',
    'src/domain/people/masking.ts',
    'src/domain/codes/otp-text.ts',
    'src/domain/webhooks/signature-tolerance.ts',
    'src/domain/templates/template.ts',
    'src/domain/text-encoding.ts',
  ]
  const screens = new Set(globSync('ui/*/screen.tsx', { cwd: ROOT }).map((file) => asPosix(dirname(file))))
  none(
    globSync('ui/**/*.{ts,tsx}', { cwd: ROOT })
      .map(asPosix)
      .flatMap((file) =>
        importsOf(file).flatMap(({ line, name }) => {
          const say = (why: string) => [`${file}:${line}: ${name} stands here; ${why}`]
          if (!name.startsWith('.')) {
            const isKnown = packages.some((it) => name === it || name.startsWith(`${it}/`))
            return isKnown
              ? []
              : say('a page loads nothing else; write the little that is needed, or put it into the service')
          }
          const target = targetOf(file, name)
          if (!target.startsWith('ui/'))
            return shared.includes(target)
              ? []
              : say('ask the management API, or make the rule free of Node and name it here')
          const other = asPosix(dirname(target))
          const isAnothers =
            screens.has(other) && screens.has(asPosix(dirname(file))) && other !== asPosix(dirname(file))
          return isAnothers ? say('what two screens share is a part: put it into ui/parts') : []
        }),
      ),
  )
})

test('the client package stands alone: it imports nothing but itself', () => {
  none(
    globSync('sdk/src/*.ts', { cwd: ROOT })
      .map(asPosix)
      .flatMap((file) =>
        importsOf(file)
          .filter(({ name }) => !/^\.\/[\w-]+\.ts$/.test(name))
          .map(
            ({ line, name }) =>
              `${file}:${line}: ${name} stands here; it runs where there is fetch and Web Crypto alone`,
          ),
      ),
  )
})

test('nothing is exported for tests alone', () => {
  const words = new Map<string, number>()
  for (const file of sources) {
    for (const [word] of linesOf(file).join('\n').matchAll(/\w+/g)) words.set(word, (words.get(word) ?? 0) + 1)
  }
  none(
    sources.flatMap((file) =>
      linesOf(file).flatMap((text, index) => {
        const name = /^export (?:async )?(?:function|const|class|let|interface|type) (\w+)/.exec(text)?.[1]
        if (name === undefined || words.get(name) !== 1) return []
        return [`${file}:${index + 1}: nothing in src uses ${name}; remove it, with the tests that alone do`]
      }),
    ),
  )
})

test('D3: the alphabet that a text is priced by is the one that goes over the wire: it is written down once', () => {
  const holders = sources.filter((file) => linesOf(file).some((text) => text.includes('ΦΓΛΩΠΨΣΘΞ')))
  assert.deepEqual(holders, ['src/domain/text-encoding.ts'])
})

test('transactions are opened by actions, SQL is written in store', () => {
  none([
    ...find(/\.transaction\(/, {
      in: sources.filter((file) => !/^src\/actions\/|^src\/store\/database\/(db|migrate)\.ts$/.test(file)),
      say: 'only actions open transactions; move the change into src/actions',
    }),
    ...find(/from '.*\/sql\.ts'/, {
      in: sources.filter((file) => !file.startsWith('src/store/')),
      say: 'only store holds SQL; give the statement a name there and call it',
    }),
  ])
})

test('roles and APIs read the store; what changes it is an action', () => {
  const isRead = /^(find|list|read|load|count|next|measure|is)[A-Z]|^[A-Z_]+$/
  const ofNoTable = ['toAccountState', 'courseAfter']
  const stations = sources.filter((file) => ROOMS[roomOf(file)]?.instead === STATION.instead)
  none(
    stations.flatMap((file) =>
      [
        ...linesOf(file)
          .join('\n')
          .matchAll(/^import \{([^}]*)\} from '[./]+\/store\/.*'$/gm),
      ]
        .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
        .filter((name) => name !== '' && !name.startsWith('type ') && !isRead.test(name) && !ofNoTable.includes(name))
        .map((name) => `${file}: ${name} stands here; let an action of src/actions call it`),
    ),
  )
})

test('D20, D21: secrets are drawn, sealed and opened by actions, never by an API', () => {
  none(
    find(/\bkeyring\.(seal|open)\(|\bchance\.\w+\(/, {
      in: sources.filter((file) => /^src\/(api|manage|http)\//.test(file)),
      say: 'let an action draw it, and hand in only what it is for',
    }),
  )
})

test('time and chance come from the ports of runtime, settings from the entry', () => {
  const inside = sources.filter((file) => !file.startsWith('src/runtime/'))
  // The bundled PostgreSQL is started before there is a service with ports to hand in.
  const withPorts = inside.filter((file) => !file.startsWith('src/store/database/bundled-postgres'))
  none([
    ...find(/\bDate\.now\(|\bnew Date\(\)|Temporal\.Now\b/, {
      in: inside,
      say: 'only runtime reads the clock; take `now` as an argument, or ask ports.clock',
    }),
    ...find(/\bMath\.random\(|\brandom(Bytes|Int|UUID|Fill\w*)\b|getRandomValues/, {
      in: withPorts,
      say: 'only runtime draws chance; take it from ports.chance or ports.ids',
    }),
    ...find(/\bprocess\.env\b/, {
      in: sources.filter((file) => !isEntry(file)),
      say: 'only the entry reads the environment; make it a setting of config.ts and hand it in',
    }),
  ])
})

test('SQL never reads the clock or draws chance', () => {
  // The one that is asked what time it is, so that every process keeps its clock to the same.
  const withSql = everything.filter(
    (file) => /^src\/store\/.*\.(ts|sql)$/.test(file) && file !== 'src/store/database/clock.ts',
  )
  const pattern =
    /(?<![.\w])(now|random|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|gen_random_uuid|uuidv[47]|uuid_generate_v\d)\(\)|\b(current_(date|time|timestamp)|localtime|localtimestamp)\b/i
  none(find(pattern, { in: withSql, say: 'hand the value in as a parameter: the clock of the service may be moved' }))
})

test('nothing is left to do, and nothing tells of one machine', () => {
  const texts = everything.filter((file) => !/\.(pem|png|ico|woff2?)$/.test(file) && file !== 'package-lock.json')
  const escaped = RegExp.escape(ROOT)
  none([
    ...find(/\b(TO[D]O|FIX[M]E|X[X]X|HA[C]K)\b/, { in: texts, say: 'do it now, or open an issue' }),
    ...find(new RegExp(`${escaped}(?![\\w-])|(?<![\\w.])/(home|Users)/\\w|(?<![\\w.])/roo[t]/`), {
      in: texts,
      say: 'this path exists on one machine only; make it relative',
    }),
    ...find(/(?<![\w./])(\.\.\/)+shared\b/, { in: texts, say: 'this leaves the checkout; bring the file in' }),
    ...find(/"resolved": *"https?:/, { in: ['package-lock.json'], say: 'a lock file names no registry; see .npmrc' }),
  ])
})

function roomOf(file: string): string {
  const [, room = '', within = ''] = file.split('/')
  return `${room}/${within}` in ROOMS ? `${room}/${within}` : room
}

function subjectOf(file: string): string {
  const [, , subject = '', ...within] = file.split('/')
  return within.length > 0 ? subject : BESIDE
}

function targetOf(file: string, name: string): string {
  return name.startsWith('.') ? asPosix(relative(ROOT, resolve(ROOT, dirname(file), name))) : name
}

function mayImport(file: string, room: Room, name: string): boolean {
  if (name.startsWith('node:')) return room.node?.includes(name) ?? true
  if (!name.startsWith('.')) return (room.packages ?? []).some((it) => name === it || name.startsWith(`${it}/`))
  const target = targetOf(file, name)
  if (room.files?.includes(target) || ROOMS[roomOf(target)]?.knownTo === file) return true
  return target.startsWith('src/') && [roomOf(file), ...room.rooms].includes(roomOf(target))
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
      return found === undefined ? [] : [`${file}:${index + 1}: ${found} stands here; ${say}`]
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
