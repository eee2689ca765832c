// Mail, where an SMTP server is set: links, and notices of a changed address. The library is loaded with the first one.
import type { Transporter } from 'nodemailer'

export interface Email {
  to: string
  subject: string
  text: string
}

/** In milliseconds. A request waits for its mail, and others of the workspace for the request. */
const TIMEOUTS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000, dnsTimeout: 5_000 }

export class Mail {
  readonly #url: string
  readonly #from: string
  #transport: Promise<Transporter> | null = null

  constructor({ url, from }: { url: string; from: string }) {
    this.#url = url
    this.#from = from
  }

  /** Throws where it cannot be handed over. */
  async send({ to, subject, text }: Email): Promise<void> {
    this.#transport ??= import('nodemailer').then(({ createTransport }) =>
      createTransport({ url: this.#url, ...TIMEOUTS }, { from: this.#from }),
    )
    const transport = await this.#transport
    // As an object, so that nothing in an address is read as more than one.
    await transport.sendMail({
      to: { name: '', address: to },
      subject,
      text,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }
}
