/** How long the replacements of a command may take. */

const MIN_TIMEOUT_MS = 10 * 60_000;
const MAX_TIMEOUT_MS = 60 * 60_000;
const TIMEOUT_PER_NODE_MS = 80;

/** The more nodes are in commands, the longer the cloud may take. */
export function commandTimeoutMs(nodes: number): number {
  return Math.min(MAX_TIMEOUT_MS, Math.max(MIN_TIMEOUT_MS, TIMEOUT_PER_NODE_MS * nodes));
}
