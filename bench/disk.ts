// The duration of fdatasync after a write of the size of a batch.
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

const WRITE_BYTES = 32_768
const FILE_BYTES = 128 * WRITE_BYTES
const PAUSE_MS = 8

interface DiskReport {
  p50Ms: number
  p99Ms: number
  longestMs: number
}

export async function measureDisk(folder: string, seconds: number): Promise<DiskReport> {
  const path = join(folder, 'fdatasync')
  const file = openSync(path, 'w')
  const piece = Buffer.alloc(WRITE_BYTES, 1)
  // Like the WAL, existing blocks are overwritten.
  for (let at = 0; at < FILE_BYTES; at += WRITE_BYTES) writeSync(file, piece, 0, WRITE_BYTES, at)
  fdatasyncSync(file)
  const histogram = createHistogram()
  const until = performance.now() + seconds * 1000
  for (let at = 0; performance.now() < until; at = (at + WRITE_BYTES) % FILE_BYTES) {
    writeSync(file, piece, 0, WRITE_BYTES, at)
    const startedAt = performance.now()
    fdatasyncSync(file)
    histogram.record(Math.max(1, Math.round((performance.now() - startedAt) * 1000)))
    await sleep(PAUSE_MS)
  }
  closeSync(file)
  rmSync(path)
  const ms = (percentile: number) => Math.round(histogram.percentile(percentile) / 10) / 100
  return { p50Ms: ms(50), p99Ms: ms(99), longestMs: ms(100) }
}
