// Records the traffic of a local port with Wireshark, with timestamps.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { until } from '../harness/until.ts'

export interface Sniffer {
  /** Fields of the packets that match a filter, one row per packet. */
  rows(filter: string, ...fields: string[]): string[][]
  /** The times of the PDUs of a command in seconds, once there are enough. */
  times(command: number, count: number): Promise<number[]>
  /** When our side closed a connection. */
  ends(count: number): Promise<number[]>
  /** The decrypted TLS content of each side of the first connection. */
  insideTls(): Buffer[]
  /** Asserts that there are PDUs and none is malformed. */
  judge(): Promise<void>
}

/** `keys` is a file of TLS secrets for decryption. */
export async function sniff(t: TestContext, port: number, { keys }: { keys?: string } = {}): Promise<Sniffer | null> {
  const folder = mkdtempSync(join(tmpdir(), 'smpp-sniffed-'))
  const file = join(folder, 'lo.pcap')
  const dumpcap = spawn('dumpcap', ['-i', 'lo', '-f', `tcp port ${port}`, '-w', file, '-P'], { stdio: 'ignore' })
  let hasEnded = false
  for (const event of ['error', 'exit']) dumpcap.on(event, () => (hasEnded = true))
  t.after(() => {
    dumpcap.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  await until(() => hasEnded || existsSync(file))
  if (hasEnded) {
    t.diagnostic("Wireshark's dumpcap is not installed, or may not record here: nothing was held against its record")
    return null
  }
  const as = keys ? ['-o', `tls.keylog_file:${keys}`] : ['-d', `tcp.port==${port},smpp`]
  function rows(filter: string, ...fields: string[]): string[][] {
    const shown = fields.flatMap((field) => ['-e', field])
    const args = ['-r', file, ...as, '-Y', filter, '-T', 'fields', ...shown]
    const { stdout } = spawnSync('tshark', args, { encoding: 'utf8' })
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')]))
  }
  const enough = (count: number, read: () => number[]) =>
    until(() => {
      const times = read()
      return times.length >= count ? times : null
    })
  const hex = (command: number) => `0x${command.toString(16).padStart(8, '0')}`
  return {
    rows,
    // A packet may contain several PDUs.
    times: (command, count) =>
      enough(count, () =>
        rows(`smpp.command_id == ${command}`, 'frame.time_epoch', 'smpp.command_id').flatMap(([time, commands]) =>
          (commands ?? '').split(',').flatMap((it) => (it === hex(command) ? [Number(time)] : [])),
        ),
      ),
    ends: (count) =>
      enough(count, () =>
        rows(`tcp.dstport == ${port} && (tcp.flags.fin == 1 || tcp.flags.reset == 1)`, 'frame.time_epoch').map(
          ([time]) => Number(time),
        ),
      ),
    // Lines of hex; those of one side start with a tab.
    insideTls() {
      const { stdout } = spawnSync('tshark', ['-r', file, ...as, '-q', '-z', 'follow,tls,raw,0'], { encoding: 'utf8' })
      const lines = stdout.split('\n').filter((line) => /^\t?[0-9a-f]+$/.test(line))
      const ends = [lines.filter((line) => line.startsWith('\t')), lines.filter((line) => !line.startsWith('\t'))]
      return ends.map((some) => Buffer.from(some.join('').replaceAll('\t', ''), 'hex'))
    },
    async judge() {
      await until(() => rows('smpp', 'frame.number').length > 0)
      assert.deepEqual(rows('_ws.malformed || _ws.expert.severity == error', 'frame.number', '_ws.expert'), [])
    },
  }
}
