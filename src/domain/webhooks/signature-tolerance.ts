// How long a signature is valid (§6.3 rule 2).

/** Endpoints reject a time further than this from their own. */
export const SIGNATURE_TOLERANCE_SECONDS = 300
