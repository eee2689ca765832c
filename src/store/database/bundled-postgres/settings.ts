// The bundled server's settings. They are written anew on every start, so that an upgrade of the service brings its own.
import { availableParallelism, totalmem } from 'node:os'

export type ListenAddress = { on: 'socket' } | { on: 'tcp'; port: number }

export const SOCKET_PORT = 5432

export function settingsFile(listening: ListenAddress, mostConnections: number): string {
  const settings = {
    ...addresses(listening),
    max_connections: mostConnections,
    ...DURABILITY,
    ...resources(),
    ...QUEUE_UPKEEP,
    ...LOGGING,
    ...LOCALE,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  return `# Written by the service on every start of the server; changes made here are lost.\n${lines.join('')}`
}

/** Paths are relative to the cluster's folder, so they need no quoting and the whole may be moved. */
function addresses(listening: ListenAddress) {
  return {
    cluster_name: 'hulaki',
    listen_addresses: listening.on === 'tcp' ? '127.0.0.1' : '',
    port: listening.on === 'tcp' ? listening.port : SOCKET_PORT,
    unix_socket_directories: listening.on === 'socket' ? '.' : '',
    unix_socket_permissions: '0700',
  }
}

/** A 200 of the service means committed and on disk. */
const DURABILITY = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_compression: 'on',
  // Fewer full pages in the WAL than with the 5 minutes of the default, and still a recovery of seconds.
  checkpoint_timeout: '10min',
  max_wal_size: '2GB',
  // A new file of the WAL is not filled with zeros first, for which every commit would wait 40 ms; used ones are used again.
  wal_init_zero: 'off',
  min_wal_size: '256MB',
}

/** Modest: the service itself and other things run on this machine too. */
function resources() {
  const memoryMb = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 2 ** 20
  const share = (part: number, least: number, most: number) =>
    `${Math.round(Math.min(Math.max(memoryMb * part, least), most))}MB`
  return {
    shared_buffers: share(1 / 8, 32, 1024),
    effective_cache_size: share(1 / 2, 128, 32_768),
    maintenance_work_mem: share(1 / 64, 16, 256),
    work_mem: '8MB',
    // Statements are short and many; helpers for one would be taken from the others.
    max_parallel_workers_per_gather: 0,
    max_parallel_workers: Math.min(availableParallelism(), 8),
    jit: 'off',
    random_page_cost: 1.1,
    // Containers have a tiny /dev/shm, and systemd empties it when its user logs out. So it is not needed.
    min_dynamic_shared_memory: '16MB',
  }
}

/** Rows of a queue live for seconds: their dead versions are to be gone before they slow the next claim. */
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
 * A week of files that overwrite each other, and never a customer's data: no statements, no parameters, no DETAIL.
 * What goes wrong with a statement is told to the service (its role logs no errors here), the rest is rare.
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
