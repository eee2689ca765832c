// What a test of a carrier tells step by step, for people to read.

export interface TestStep {
  /** `address`: its name was resolved, and may be dialled (D50). `connection`, `tls`. `answer`: what it said to the message. */
  step: (typeof TEST_STEPS)[number]
  /** What it came to, or what was said; empty where nothing was. */
  told: string
  fault: string | null
  milliseconds: number | null
}

export const TEST_STEPS = ['address', 'connection', 'tls', 'answer'] as const
