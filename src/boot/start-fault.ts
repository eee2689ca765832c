// Why a start fails: one clear sentence for a person, never a stack trace.

/** The service cannot start; the message is one sentence. */
export class StartFault extends Error {}

export function reason(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  // Several addresses were tried and none answered: that has a code, but no words.
  return fault.message || ('code' in fault ? String(fault.code) : fault.name)
}
