/** The tables whose rows end with the work. */
export const QUEUE_TABLES = [
  'delivery_queue',
  'claim',
  'pending_report',
  'webhook_queue',
  'webhook_claim',
  'receipt_poll',
] as const
