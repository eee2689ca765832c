// Sends mail through the configured SMTP server. The library is loaded with the first mail.
import type { Transporter } from 'nodemailer'

export interface Email {
  to: string
  subject: string
  text: string
}

/** In milliseconds. A request waits for its mail, and other requests of the workspace wait for the request. */
const TIMEOUTS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000, dnsTimeout: 5_000 }

export class Mail {
  readonly #url: string
  readonly #from: string
  #transport: Promise<Transporter> | null = null

  constructor({ url, from }: { url: string; from: string }) {
    this.#url = url
    this.#from = from
  }

  /** Throws if the SMTP server does not accept the mail. */
  async send({ to, subject, text }: Email): Promise<void> {
    this.#transport ??= import('nodemailer').then(({ createTransport }) =>
      createTransport({ url: this.#url, ...TIMEOUTS }, { from: this.#from }),
    )
    const transport = await this.#transport
    // As an object, so that one address is never parsed as several.
    await transport.sendMail({
      to: { name: '', address: to },
      subject,
      text,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }
}
