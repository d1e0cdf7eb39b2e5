/**
 * The memory limit of the controller. Node.js takes the size of its heap at its start only, while our option may come from
 * anywhere, the ConfigMap too; so a process that learns of a limit becomes itself once more, under the same id and with the
 * flags. It decides nothing else.
 */
import { argv, execArgv, execPath, execve } from 'node:process';
import type { Environment } from '../../settings/index.ts';

const FLAG = '--max-old-space-size';
const MEBIBYTE = 2 ** 20;
/** What a process takes beside the old part of its heap: the program, its young part, buffers. */
const BESIDE_MIB = 100;
/** A heap below this cannot even hold the program. */
const LEAST_MIB = 128;

/**
 * For the C library. Left alone it keeps a pool of freed memory for every thread, and having once seen a large buffer go
 * it takes the next ones from the pool, too, where a single small piece behind them keeps them for good.
 */
const LEAN_MALLOC = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const;

/** Nine tenths are for the process, as upstream's soft limit has it. None: there is no limit, or one is set already. */
export function heapFlags(
  limitBytes: number,
  nodeFlags: readonly string[],
  env: Environment,
): readonly string[] {
  if (limitBytes <= 0) return [];
  const given = [...nodeFlags, ...(env['NODE_OPTIONS'] ?? '').split(/\s+/)];
  if (given.some((flag) => flag.replaceAll('_', '-').startsWith(FLAG))) return [];
  const oldMiB = Math.max(LEAST_MIB, Math.floor((limitBytes * 0.9) / MEBIBYTE) - BESIDE_MIB);
  // A young part that may grow to a hundred megabytes is for machines that have them.
  return [`${FLAG}=${oldMiB}`, '--max-semi-space-size=8'];
}

export interface OwnProcess {
  readonly limitBytes: number;
  /** What the verb was given: where somebody else runs it inside a process of theirs, that process is left alone. */
  readonly args: readonly string[];
  readonly env: Environment;
  /** What must be let go before. */
  readonly close: () => Promise<void>;
}

/** Does not return when the process starts over. */
export async function startOverWithLimit({ limitBytes, args, env, close }: OwnProcess): Promise<void> {
  const flags = heapFlags(limitBytes, execArgv, env);
  const isOurs = argv[2] === 'controller' && argv.slice(3).join('\0') === args.join('\0');
  if (flags.length === 0 || !isOurs || execve === undefined) return;
  await close();
  const defined = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const lean = { ...LEAN_MALLOC, ...Object.fromEntries(defined) };
  execve(execPath, [execPath, ...flags, ...execArgv, ...argv.slice(1)], lean);
}
