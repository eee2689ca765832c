// The deliveries of carriers that could not be stored, by what they say: a carrier whose one receipt is refused for ever delivers
// nothing that is behind it.
import { hash } from 'node:crypto'
import type { Pdu } from '../smpp/commands.ts'
import { messageBytes } from '../smpp/udh.ts'

const MOST_REMEMBERED = 1_000

export class FailedDeliveries {
  /** Oldest first. */
  readonly #failed = new Set<string>()

  /** It has failed once more; says whether it had before. */
  add(carrierId: string, pdu: Pdu<'deliver_sm' | 'data_sm'>): boolean {
    const { source_addr, destination_addr, esm_class, data_coding, tlvs } = pdu
    const body = messageBytes(pdu).toString('base64')
    const said = [carrierId, source_addr, destination_addr, esm_class, data_coding, body, tlvs.receipted_message_id]
    const fingerprint = hash('sha256', JSON.stringify(said))
    if (this.#failed.delete(fingerprint)) return true
    this.#failed.add(fingerprint)
    const [oldest] = this.#failed
    if (this.#failed.size > MOST_REMEMBERED && oldest !== undefined) this.#failed.delete(oldest)
    return false
  }
}
