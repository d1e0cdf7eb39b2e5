/**
 * The memory limit of the controller. Node.js reads the size of its heap only at start, but the option may also come from
 * the ConfigMap. So the process replaces itself (execve, same process id) with the flags for the limit.
 */
import { argv, execArgv, execPath, execve } from 'node:process';
import type { Environment } from '../../settings/index.ts';

const FLAG = '--max-old-space-size';
const MEBIBYTE = 2 ** 20;
/** Memory outside the old generation of the heap: code, the young generation, buffers. */
const NON_HEAP_MIB = 100;
/** The program does not start with a smaller heap. */
const MIN_HEAP_MIB = 128;

/**
 * For malloc of glibc. By default it keeps a pool of freed memory for every thread, and after the first large buffer is
 * freed it allocates further large buffers from the pool, where one small allocation behind them prevents their release.
 */
const LEAN_MALLOC = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const;

/** The process may use nine tenths of the limit, as upstream's soft limit. Empty: no limit, or a heap size is set already. */
export function heapFlags(
  limitBytes: number,
  nodeFlags: readonly string[],
  env: Environment,
): readonly string[] {
  if (limitBytes <= 0) return [];
  const given = [...nodeFlags, ...(env['NODE_OPTIONS'] ?? '').split(/\s+/)];
  if (given.some((flag) => flag.replaceAll('_', '-').startsWith(FLAG))) return [];
  const oldMiB = Math.max(MIN_HEAP_MIB, Math.floor((limitBytes * 0.9) / MEBIBYTE) - NON_HEAP_MIB);
  // By default the young generation may grow to a hundred megabytes.
  return [`${FLAG}=${oldMiB}`, '--max-semi-space-size=8'];
}

export interface OwnProcess {
  readonly limitBytes: number;
  /** Arguments of the verb: a process that merely embeds the verb (a test) is not replaced. */
  readonly args: readonly string[];
  readonly env: Environment;
  /** Called before the process is replaced. */
  readonly close: () => Promise<void>;
}

/** Does not return when the process is replaced. */
export async function restartWithMemoryLimit({ limitBytes, args, env, close }: OwnProcess): Promise<void> {
  const flags = heapFlags(limitBytes, execArgv, env);
  const isOurs = argv[2] === 'controller' && argv.slice(3).join('\0') === args.join('\0');
  if (flags.length === 0 || !isOurs || execve === undefined) return;
  await close();
  const defined = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const lean = { ...LEAN_MALLOC, ...Object.fromEntries(defined) };
  execve(execPath, [execPath, ...flags, ...execArgv, ...argv.slice(1)], lean);
}
