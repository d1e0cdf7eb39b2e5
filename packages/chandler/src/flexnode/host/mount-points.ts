/** What is mounted where, from the kernel's own list: device numbers do not tell a bind mount from its surroundings. */
import { readFile } from 'node:fs/promises';

export async function mountPoints(): Promise<readonly string[]> {
  try {
    return parseMountInfo(await readFile('/proc/self/mountinfo', 'utf8'));
  } catch {
    // Not Linux, or no /proc: the comparison of device numbers remains.
    return [];
  }
}

/** Fifth field of each line; blanks and the like are written in octal. */
export function parseMountInfo(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.split(' ')[4])
    .filter((target) => target !== undefined)
    .map(unescapeOctal);
}

export function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
