// A role of the service: started in message order, stopped in reverse.

export interface Role {
  readonly name: string
  /** Finishes what it has in hand and lets go. Called once. */
  stop(): Promise<void>
  /** Does what is due now; says whether there was anything (only a manual clock asks). */
  settle(): Promise<boolean>
}
