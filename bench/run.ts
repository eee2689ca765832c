// `npm run bench -- <name> [arguments]`: runs one benchmark. Some write their results to bench/results/<name>.json.
const BENCHMARKS: Record<string, string> = {
  accept: 'messages accepted per second, compared with a bare Fastify server; 3 minutes, with --long 12',
  delivery: 'queued to reported: throughput, webhooks, processes, whole, receipts, codes or claims, then a count',
  lists: 'every list of the management API on a million messages; 2 minutes',
  live: 'CPU time of 500 open consoles; 2 minutes',
  tenants: 'how much the abuse of one workspace slows another; 5 minutes',
  now: 'database time of GET /now with a million waiting messages',
  overload: 'goodput under overload; 4 minutes',
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
