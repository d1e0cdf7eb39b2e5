/** Flags that kubectl has for every command, which people write before or after the command of a plugin. */
import type { Terminal, Verb } from '../verb.ts';

/** All of them take a value. */
export const KUBECTL_FLAGS: Readonly<Record<string, string>> = {
  '--context': 'Name of the kubeconfig context',
  '--kubeconfig': 'Path of the kubeconfig file',
  '--namespace': 'Namespace',
  '-n': 'Namespace',
};

/** The command first, and what was before it directly after it: what is written later counts. */
export function withVerbFirst(args: readonly string[]): readonly string[] {
  let at = 0;
  while (at < args.length) {
    const width = widthOf(args[at]!);
    if (width === 0) break;
    at += width;
  }
  const [verb, ...rest] = args.slice(at);
  return verb === undefined ? args : [verb, ...args.slice(0, at), ...rest];
}

/** As kubectl ignores it for objects without a namespace; but a line says so. */
export function withoutNamespace(
  args: readonly string[],
  { name, options }: Verb,
  warn: Terminal['err'],
): readonly string[] {
  const rows = Object.values(options);
  if (rows.some(({ flag }) => flag === 'namespace')) return args;
  const dropped = ['--namespace', ...(rows.some(({ short }) => short === 'n') ? [] : ['-n'])];
  const kept: string[] = [];
  let isDropped = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === '--') {
      kept.push(...args.slice(at));
      break;
    }
    const flag = dropped.find((each) => arg === each || arg.startsWith(`${each}=`));
    if (flag === undefined) kept.push(arg);
    else {
      isDropped = true;
      if (arg === flag) at += 1;
    }
  }
  if (isDropped) warn(`--namespace has no effect: "${name}" is not about one namespace\n`);
  return kept;
}

// ---------------------------------------------------------------------------------------------------

/** How many arguments the flag takes up; 0: it is none of kubectl. */
function widthOf(arg: string): number {
  for (const flag of Object.keys(KUBECTL_FLAGS)) {
    if (arg === flag) return 2;
    if (arg.startsWith(`${flag}=`)) return 1;
  }
  return 0;
}
