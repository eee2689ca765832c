// Starts nginx, Caddy or HAProxy with a file of deploy/proxy as printed, except for ports, addresses and the paths of this machine.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { freePort } from '../harness/free-port.ts'
import { CHECKOUT } from '../harness/process.ts'
import { until } from '../harness/until.ts'

const CERTIFICATES = join(CHECKOUT, 'test', 'webhooks', 'certificates')
const read = (name: string) => readFileSync(join(CERTIFICATES, name), 'utf8')
const CA = read('ca.cert.pem')

export interface ProxyKind {
  name: 'nginx' | 'Caddy' | 'HAProxy'
  /** The file in deploy/proxy. */
  sample: string
  program: string | undefined
  /** Replacements for this machine: each must occur in the sample. */
  local: (folder: string, port: number) => [printed: string, here: string][]
  /** Writes what surrounds the sample, and returns the arguments of the program. */
  run: (folder: string, file: string) => string[]
}

export const PROXIES: ProxyKind[] = [
  {
    name: 'nginx',
    sample: 'nginx.conf',
    program: installed('/usr/sbin/nginx', '-v'),
    local: (folder, port) => [
      ['listen 443 ', `listen 127.0.0.1:${port} `],
      ['server_name sms.example.com', 'server_name localhost'],
      ['/etc/ssl/sms.example.com/', `${folder}/`],
      ['/var/log/nginx/', `${folder}/`],
    ],
    run: (folder, file) => {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      const main = join(folder, 'main.conf')
      writeFileSync(
        main,
        `daemon off; ${process.getuid?.() === 0 ? 'user root; ' : ''}worker_processes 1; pid ${folder}/pid; error_log stderr;
        events {}
        http {
          access_log off;
          ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
          include ${file};
        }`,
      )
      return ['-c', main, '-p', folder]
    },
  },
  {
    name: 'Caddy',
    sample: 'Caddyfile',
    program: installed('/usr/bin/caddy', 'version'),
    local: (folder, port) => [
      ['auto_https disable_redirects', 'auto_https disable_redirects\n\tadmin off'],
      ['# tls /etc', 'tls /etc'],
      ['/etc/ssl/sms.example.com/', `${folder}/`],
      ['\nsms.example.com {', `\nhttps://localhost:${port} {\n\tbind 127.0.0.1`],
    ],
    run: (_folder, file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
  {
    name: 'HAProxy',
    sample: 'haproxy.cfg',
    program: installed('/usr/sbin/haproxy', '-v'),
    local: (folder, port) => [
      ['bind :443 ', `bind 127.0.0.1:${port} `],
      ['/etc/ssl/sms.example.com/', `${folder}/`],
      ['log /dev/log local0', 'log stdout format raw local0'],
    ],
    run: (_folder, file) => ['-db', '-f', file],
  },
]

function installed(program: string, argument: string): string | undefined {
  return spawnSync(program, [argument]).status === 0 ? program : undefined
}

export interface RunningProxy {
  port: number
  ask: (path: string, asked?: Asked) => Promise<Reply>
  /** Opens a stream and returns what arrived so far. */
  stream: (path: string, headers: Record<string, string>) => { text: () => string; close: () => void }
  stop: () => Promise<void>
}

interface Asked {
  method?: string
  headers?: Record<string, string>
  body?: string
  /** The address of the caller. */
  from?: string
}

export interface Reply {
  status: number
  headers: NodeJS.Dict<string | string[]>
  text: string
}

/** The two addresses of the sample become `backends`, as host:port. */
export async function startProxy(kind: ProxyKind, backends: readonly [string, string]): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'hulaki-proxy-'))
  const port = await freePort()
  writeFileSync(join(folder, 'fullchain.pem'), read('receiver.cert.pem') + CA)
  writeFileSync(join(folder, 'privkey.pem'), read('receiver.key.pem'), { mode: 0o600 })
  writeFileSync(join(folder, 'haproxy.pem'), read('receiver.cert.pem') + CA + read('receiver.key.pem'), { mode: 0o600 })
  mkdirSync(join(folder, 'home'))
  const file = join(folder, kind.sample)
  const own: [string, string][] = [
    ['10.0.0.11:8080', backends[0]],
    ['10.0.0.12:8080', backends[1]],
  ]
  let text = readFileSync(join(CHECKOUT, 'deploy', 'proxy', kind.sample), 'utf8')
  for (const [printed, here] of [...kind.local(folder, port), ...own]) {
    assert.ok(text.includes(printed), `${kind.sample} has no '${printed}'`)
    text = text.replaceAll(printed, here)
  }
  writeFileSync(file, text)
  const child = spawn(kind.program ?? '', kind.run(folder, file), {
    env: { PATH: process.env.PATH, HOME: join(folder, 'home') },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const said = collect(child)
  const ended = once(child, 'close')
  const stop = async () => {
    // The whole group: workers of nginx outlive their killed master.
    if (child.exitCode === null && child.signalCode === null && child.pid) process.kill(-child.pid, 'SIGKILL')
    await ended
  }
  after(async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  })
  await until(async () => {
    assert.equal(child.exitCode, null, said())
    return accepts(port)
  })
  return { port, stop, ...callsTo(port) }
}

function collect(child: ChildProcess): () => string {
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text) => {
      said += text
    })
  return () => said
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('connect', () => socket.destroy()).on('error', () => resolve(false))
  })
}

/** Verifies the certificate, as every caller should. */
function callsTo(port: number): Pick<RunningProxy, 'ask' | 'stream'> {
  const options = { host: '127.0.0.1', port, servername: 'localhost', ca: CA }
  const host = `localhost:${port}`
  const ask: RunningProxy['ask'] = (path, { method = 'GET', headers = {}, body, from } = {}) =>
    new Promise((resolve, reject) => {
      // As curl: a proxy that rejects the body by its length closes the connection, which a client that is still sending may notice first.
      const waits = (body?.length ?? 0) > 1_000_000
      const asked = request(
        {
          ...options,
          path,
          method,
          headers: { host, ...headers, ...(waits && { expect: '100-continue', 'content-length': body?.length }) },
          ...(from && { localAddress: from }),
        },
        (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (piece) => {
            text += piece
          })
          response.on('end', () => {
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
            if (waits) asked.destroy()
          })
          response.on('error', reject)
        },
      )
      asked.on('error', reject)
      if (waits) asked.on('continue', () => asked.end(body)).flushHeaders()
      else asked.end(body)
    })
  const stream: RunningProxy['stream'] = (path, headers) => {
    let text = ''
    const asked = request({ ...options, path, headers: { host, ...headers } }, (response) => {
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece
      })
      response.on('error', () => {})
    })
    asked.on('error', () => {})
    asked.end()
    return { text: () => text, close: () => asked.destroy() }
  }
  return { ask, stream }
}
