// The settings of the bundled server. Every start writes them, so that an upgrade of the service can change them.
import { availableParallelism, totalmem } from 'node:os'

export type ListenAddress = { on: 'socket' } | { on: 'tcp'; port: number }

export const SOCKET_PORT = 5432

export function settingsFile(listening: ListenAddress, maxConnections: number): string {
  const settings = {
    ...addresses(listening),
    max_connections: maxConnections,
    ...DURABILITY,
    ...resources(),
    ...QUEUE_UPKEEP,
    ...LOGGING,
    ...LOCALE,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  return `# Written by the service on every start of the server; changes made here are lost.\n${lines.join('')}`
}

/** Paths are relative to the cluster, so they need no quotes and the folder can be moved. */
function addresses(listening: ListenAddress) {
  return {
    cluster_name: 'hulaki',
    listen_addresses: listening.on === 'tcp' ? '127.0.0.1' : '',
    port: listening.on === 'tcp' ? listening.port : SOCKET_PORT,
    unix_socket_directories: listening.on === 'socket' ? '.' : '',
    unix_socket_permissions: '0700',
  }
}

/** A response of 200 means committed and on disk. */
const DURABILITY = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_compression: 'on',
  // Fewer full pages in the WAL than with the default of 5 minutes; a recovery still takes seconds.
  checkpoint_timeout: '10min',
  max_wal_size: '2GB',
  // Filling a new WAL file with zeros would delay commits by 40 ms; used files are recycled.
  wal_init_zero: 'off',
  min_wal_size: '256MB',
}

/** Modest, because the service and other programs run on this machine too. */
function resources() {
  const memoryMb = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 2 ** 20
  const share = (part: number, least: number, most: number) =>
    `${Math.round(Math.min(Math.max(memoryMb * part, least), most))}MB`
  return {
    shared_buffers: share(1 / 8, 32, 1024),
    effective_cache_size: share(1 / 2, 128, 32_768),
    maintenance_work_mem: share(1 / 64, 16, 256),
    work_mem: '8MB',
    // Statements are short and many: parallel workers of one would slow down the others.
    max_parallel_workers_per_gather: 0,
    max_parallel_workers: Math.min(availableParallelism(), 8),
    jit: 'off',
    random_page_cost: 1.1,
    // Replaces /dev/shm, which is tiny in containers, and which systemd empties when its user logs out.
    min_dynamic_shared_memory: '16MB',
  }
}

/** Rows of a queue exist for seconds: their dead versions must be removed before they slow down the next claim. */
const QUEUE_UPKEEP = {
  autovacuum: 'on',
  autovacuum_naptime: '5s',
  autovacuum_vacuum_threshold: 500,
  autovacuum_vacuum_scale_factor: 0.02,
  autovacuum_analyze_scale_factor: 0.05,
  autovacuum_vacuum_insert_scale_factor: 0.1,
  autovacuum_vacuum_cost_delay: '1ms',
  autovacuum_vacuum_cost_limit: 1000,
}

/**
 * One file per weekday, without customer data: no statements, no parameters, no DETAIL. The service gets the errors of its statements,
 * and its role logs none here.
 */
const LOGGING = {
  logging_collector: 'on',
  log_directory: '../log',
  log_filename: 'postgres-%a.log',
  log_rotation_age: '1d',
  log_rotation_size: 0,
  log_truncate_on_rotation: 'on',
  log_statement: 'none',
  log_min_duration_statement: -1,
  log_min_error_statement: 'panic',
  log_parameter_max_length: 0,
  log_parameter_max_length_on_error: 0,
  log_error_verbosity: 'terse',
}

const LOCALE = {
  timezone: 'UTC',
  log_timezone: 'UTC',
  datestyle: 'ISO, YMD',
  lc_messages: 'C',
}
