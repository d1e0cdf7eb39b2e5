/** The rendered scripts of the golden files, for tests that boot a machine with one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export function goldenScript(name: string): string {
  return readFileSync(join(import.meta.dirname, 'golden', `${name}.sh`), 'utf8');
}

/** The script with other values for some of its variables; null removes a variable. */
export function withVariables(script: string, change: Readonly<Record<string, string | null>>): string {
  return script
    .split('\n')
    .flatMap((line) => {
      const name = /^(\w+)=/.exec(line)?.[1];
      const value = name === undefined ? undefined : change[name];
      if (value === undefined) return [line];
      return value === null ? [] : [`${name}='${value.replaceAll("'", "'\\''")}'`];
    })
    .join('\n');
}
