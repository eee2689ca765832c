// `npm run bench -- <name> [arguments]`: runs one benchmark. Those that keep their figures write them to bench/results/<name>.json.
const BENCHMARKS: Record<string, string> = {
  accept: 'messages accepted per second, beside a bare Fastify server; 3 minutes, with --long 12',
  delivery: 'queued to reported: throughput, webhooks, processes, whole, receipts, codes or claims, then a count',
  lists: 'every list of the management API on a million messages; 2 minutes',
  live: 'the CPU that 500 open consoles cost; 2 minutes',
  neighbours: 'what one workspace at its worst costs another; 5 minutes',
  now: 'what GET /now costs while a million messages wait',
  overload: 'what is accepted when far more is sent; 4 minutes',
  postings: 'webhooks posted per second over HTTPS; 2 minutes',
}

const [name = ''] = process.argv.splice(2, 1)
if (name in BENCHMARKS) {
  await import(`./${name}.ts`)
} else {
  console.log('Usage: npm run bench -- <name> [arguments]\n')
  for (const [known, measures] of Object.entries(BENCHMARKS)) console.log(`  ${known.padEnd(11)} ${measures}`)
  process.exitCode = 1
}

export {}
