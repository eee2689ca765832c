// How a carrier over HTTP tells what became of a message after it took it.

/** Where this is null it does not tell, and its messages stay `sent` until their time is over (D13). */
export type HttpReceipts = never
