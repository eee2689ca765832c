// A file of frames that shows every change (D82): a flipped byte, a missing end, frames in another order. With a passphrase it is encrypted
// with AES-256-GCM, and the key comes from scrypt. Without one, the tag of a frame is its hash.
//
//   a line of JSON             format, content, and the parameters of the key
//   frames                     length and a mark for the last one (4 bytes), tag (16 bytes), payload
import { createCipheriv, createDecipheriv, createHash, scrypt, timingSafeEqual } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Random } from '../runtime/random.ts'

/** The file cannot be used; the message is one sentence for a person. */
export class BackupFileError extends Error {}

interface Head {
  format: 'hulaki'
  version: number
  content: Content
  /** null: not encrypted. */
  key: KeyParameters | null
}

const CONTENTS = ['database', 'keyring'] as const
type Content = (typeof CONTENTS)[number]

interface KeyParameters {
  algorithm: 'scrypt'
  logN: number
  salt: string
  /** Recognizes a wrong passphrase. */
  check: string
}

const FORMAT_VERSION = 1
/** 128 MiB and about half a second for each try. */
const LOG_N = 17
const MAX_LOG_N = 20
const BLOCK_SIZE = 8
const KEY_BYTES = 32
const SALT_BYTES = 16
const SALT = /^[\da-f]{32}$/
const TAG_BYTES = 16
const IV_BYTES = 12
const MAX_HEAD_BYTES = 4096
const FRAME_HEAD_BYTES = 4 + TAG_BYTES
const LAST = 0x8000_0000
/** A piece of rows has about 1 MiB; more is damage. */
const MAX_FRAME_BYTES = 0x1000_0000

const deriveBytes = promisify<string, Buffer, number, object, Buffer>(scrypt)

async function deriveKey(passphrase: string, { logN, salt }: Pick<KeyParameters, 'logN' | 'salt'>) {
  const cost = { N: 2 ** logN, r: BLOCK_SIZE, p: 1, maxmem: 256 * BLOCK_SIZE * 2 ** logN }
  const bytes = await deriveBytes(passphrase.normalize('NFC'), Buffer.from(salt, 'hex'), 2 * KEY_BYTES, cost)
  const check = createHash('sha256').update(bytes.subarray(KEY_BYTES)).digest('hex').slice(0, 16)
  return { key: bytes.subarray(0, KEY_BYTES), check }
}

/** Seals and opens the frames of one file. The key is used for one file only, so a counter is a safe nonce. */
class Sealer {
  readonly #headHash: Buffer
  readonly #key: Buffer | null
  #frames = 0

  constructor(head: string, key: Buffer | null) {
    this.#headHash = createHash('sha256').update(head).digest()
    this.#key = key
  }

  seal(plain: Buffer, isLast: boolean): Buffer {
    const context = this.#nextContext(isLast)
    if (!this.#key) return Buffer.concat([frameHead(plain.length, isLast, hashTag(context, plain)), plain])
    const cipher = createCipheriv('aes-256-gcm', this.#key, context.subarray(-IV_BYTES)).setAAD(context)
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
    return Buffer.concat([frameHead(sealed.length, isLast, cipher.getAuthTag()), sealed])
  }

  /** null: the frame is damaged. */
  open({ tag, payload, isLast }: Frame): Buffer | null {
    const context = this.#nextContext(isLast)
    if (!this.#key) return timingSafeEqual(hashTag(context, payload), tag) ? payload : null
    const decipher = createDecipheriv('aes-256-gcm', this.#key, context.subarray(-IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(context).setAuthTag(tag)
    try {
      return Buffer.concat([decipher.update(payload), decipher.final()])
    } catch {
      return null
    }
  }

  /** The head of the file, the mark of the last frame, and the number of the frame as nonce. */
  #nextContext(isLast: boolean): Buffer {
    const nonce = Buffer.alloc(IV_BYTES)
    nonce.writeUIntBE(this.#frames, IV_BYTES - 6, 6)
    this.#frames += 1
    return Buffer.concat([this.#headHash, Buffer.of(isLast ? 1 : 0), nonce])
  }
}

function hashTag(context: Buffer, payload: Buffer): Buffer {
  return createHash('sha256').update(context).update(payload).digest().subarray(0, TAG_BYTES)
}

function frameHead(length: number, isLast: boolean, tag: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(isLast ? LAST + length : length)
  return Buffer.concat([head, tag])
}

interface Frame {
  tag: Buffer
  payload: Buffer
  isLast: boolean
}

export class SealedWriter {
  readonly #file: FileHandle
  readonly #sealer: Sealer
  bytes = 0

  private constructor(file: FileHandle, sealer: Sealer) {
    this.#file = file
    this.#sealer = sealer
  }

  static async open(
    file: FileHandle,
    { content, passphrase, random }: { content: Content; passphrase: string | null; random: Random },
  ): Promise<SealedWriter> {
    const parameters = { logN: LOG_N, salt: random.bytes(SALT_BYTES).toString('hex') }
    const derived = passphrase === null ? null : await deriveKey(passphrase, parameters)
    const key: KeyParameters | null = derived && { algorithm: 'scrypt', ...parameters, check: derived.check }
    const head = `${JSON.stringify({ format: 'hulaki', version: FORMAT_VERSION, content, key } satisfies Head)}\n`
    const writer = new SealedWriter(file, new Sealer(head, derived?.key ?? null))
    await writer.#append(Buffer.from(head))
    return writer
  }

  write(payload: Buffer, { isLast = false } = {}): Promise<void> {
    return this.#append(this.#sealer.seal(payload, isLast))
  }

  async #append(bytes: Buffer): Promise<void> {
    await this.#file.writeFile(bytes)
    this.bytes += bytes.length
  }
}

export interface OpenedFile {
  name: string
  file: FileHandle
  head: string
  key: Buffer | null
}

/** Whether the text begins a file of this format. */
export function isSealed(text: string): boolean {
  return text.startsWith('{"format":"hulaki"')
}

/** Reads the head, and asks for the passphrase if the file is encrypted. */
export async function openSealed(
  name: string,
  file: FileHandle,
  { content, passphrase }: { content: Content; passphrase: () => Promise<string> },
): Promise<OpenedFile> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_HEAD_BYTES), 0, MAX_HEAD_BYTES, 0)
  const start = buffer.toString('utf8', 0, bytesRead)
  const head = start.slice(0, start.indexOf('\n') + 1) || start
  const parsed = parseHead(name, head)
  if (parsed.content !== content)
    throw new BackupFileError(
      `${name} has the content ${parsed.content}; a file with the content ${content} is needed.`,
    )
  if (parsed.key === null) return { name, file, head, key: null }
  const { key, check } = await deriveKey(await passphrase(), parsed.key)
  if (check !== parsed.key.check) throw new BackupFileError(`The passphrase of ${name} is wrong.`)
  return { name, file, head, key }
}

function parseHead(name: string, text: string): Head {
  if (!isSealed(text)) throw new BackupFileError(`${name} is not a backup of Hulaki.`)
  const head = parseJson(name, text)
  if (!Number.isInteger(head.version) || head.version < 1) throw damaged(name)
  if (head.version !== FORMAT_VERSION)
    throw new BackupFileError(
      `${name} has format ${head.version}, which this version of Hulaki cannot read; use a newer version.`,
    )
  if (!CONTENTS.includes(head.content)) throw damaged(name)
  const { key } = head
  if (key !== null && !areUsable(key)) throw damaged(name)
  return head
}

/** A damaged or forged head must not choose how much memory is used. */
function areUsable(key: Partial<KeyParameters> | undefined): boolean {
  const { algorithm, logN = 0, salt = '' } = key ?? {}
  return algorithm === 'scrypt' && Number.isInteger(logN) && logN >= 1 && logN <= MAX_LOG_N && SALT.test(salt)
}

function parseJson(name: string, text: string): Head {
  try {
    return JSON.parse(text)
  } catch {
    throw damaged(name)
  }
}

function damaged(name: string): BackupFileError {
  return new BackupFileError(`${name} is damaged; use another copy.`)
}

export interface Payload {
  bytes: Buffer
  isLast: boolean
}

/** The payloads in order. Throws at the first damage, also if the file ends early or goes on after its end. */
export async function* readSealed({ name, file, head, key }: OpenedFile): AsyncGenerator<Payload> {
  const sealer = new Sealer(head, key)
  const { size } = await file.stat()
  let at = Buffer.byteLength(head)
  for (let isLast = false; !isLast; ) {
    const frameHead = await readExactly(file, { at, length: FRAME_HEAD_BYTES, size })
    const mark = frameHead?.readUInt32BE(0) ?? 0
    isLast = mark >= LAST
    const length = isLast ? mark - LAST : mark
    const payload =
      length > MAX_FRAME_BYTES ? null : await readExactly(file, { at: at + FRAME_HEAD_BYTES, length, size })
    if (!frameHead || !payload)
      throw new BackupFileError(`${name} is cut off or damaged at byte ${at} of ${size}; use another copy.`)
    const plain = sealer.open({ tag: frameHead.subarray(4), payload, isLast })
    if (!plain) throw new BackupFileError(`${name} is damaged near byte ${at}; use another copy.`)
    yield { bytes: plain, isLast }
    at += FRAME_HEAD_BYTES + length
  }
  if (at !== size) throw damaged(name)
}

async function readExactly(
  file: FileHandle,
  { at, length, size }: { at: number; length: number; size: number },
): Promise<Buffer | null> {
  if (at + length > size) return null
  const buffer = Buffer.allocUnsafe(length)
  for (let read = 0; read < length; ) {
    const { bytesRead } = await file.read(buffer, read, length - read, at + read)
    if (bytesRead === 0) return null
    read += bytesRead
  }
  return buffer
}
