// Runs Net::SMPP scripts, if it is installed, and records the traffic for Wireshark.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { FrameReader } from '../../src/smpp/frame-reader.ts'
import { listener } from '../harness/background.ts'
import { listen } from './raw-peer.ts'
import { hasWireshark, readByWireshark } from './wireshark.ts'

const hasNetSmpp = spawnSync('perl', ['-MNet::SMPP', '-MJSON::PP', '-e', '1']).status === 0
/** The skip reason, or false. */
export const noNetSmpp = hasNetSmpp ? false : "perl's Net::SMPP is not installed (Debian: libnet-smpp-perl)"
export const noWireshark = hasWireshark ? false : 'the PDUs were not judged by Wireshark: tshark is not installed'

export type Line = Record<string, string | number>

export function runPerl(t: TestContext, script: string, ...args: string[]) {
  const path = fileURLToPath(new URL(`fixtures/${script}`, import.meta.url))
  const child = spawn('perl', [path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => child.kill())
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<Line> => JSON.parse((await lines.next()).value ?? '{}')
  const restOfLines = async (): Promise<Line[]> => {
    const rest: Line[] = []
    for (let line = await lines.next(); !line.done; line = await lines.next()) rest.push(JSON.parse(line.value))
    return rest
  }
  const say = (order: Record<string, unknown>) => child.stdin.write(`${JSON.stringify(order)}\n`)
  return { nextLine, restOfLines, say }
}

/** A relay that records what each side wrote. */
export async function recordingProxy(t: TestContext, targetPort: number) {
  const streams: Buffer[][] = []
  const port = await listen(
    t,
    listener(async (near) => {
      const far = connect({ host: '127.0.0.1', port: targetPort })
      t.after(() => far.destroy())
      await once(far, 'connect')
      relay(near, far)
      relay(far, near)
    }),
  )
  function relay(from: Socket, to: Socket) {
    const chunks: Buffer[] = []
    streams.push(chunks)
    from.on('data', (chunk) => chunks.push(chunk as Buffer))
    from.on('error', () => to.destroy())
    from.pipe(to)
  }
  return { port, frames: () => streams.flatMap(cutIntoFrames) }
}

export function cutIntoFrames(chunks: Buffer[]): Buffer[] {
  const reader = new FrameReader(64 * 1024)
  reader.append(Buffer.concat(chunks))
  const frames = []
  for (let frame = reader.next(); frame; frame = reader.next()) frames.push(frame)
  return frames
}

export function judgeByWireshark(t: TestContext, frames: Buffer[]): void {
  if (noWireshark) {
    t.diagnostic(noWireshark)
    return
  }
  const { commandIds, complaints } = readByWireshark(frames)
  assert.equal(complaints, '')
  assert.deepEqual(
    commandIds,
    frames.map((frame) => frame.readUInt32BE(4)),
  )
}
