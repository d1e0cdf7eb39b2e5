/** Defaults of calls, apart from what makes them: options show these. */

/** Of one call. */
export const DEFAULT_CALL_TIMEOUT_MS = 60_000;

/** How long a call may wait for its turn. */
export const DEFAULT_LONGEST_WAIT_MS = 5_000;
