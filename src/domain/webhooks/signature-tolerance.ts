// How long a signature is good (§6.3 rule 2): for those who make it, describe it, and check it.

/** Receivers reject a time further than this from their own. */
export const SIGNATURE_TOLERANCE_SECONDS = 300
