/**
 * Single keys from the terminal, for a view that is drawn in place. In this mode the terminal sends Ctrl-C as a key and not
 * as a signal. The mode of the terminal is restored on close, and by Node.js when the process exits.
 */
import { stdin } from 'node:process';

export type Key = 'quit' | 'up' | 'down' | 'pageUp' | 'pageDown' | 'home' | 'end' | 'sort' | 'reverse';

/** The part of standard input that this uses. */
export interface KeyInput {
  setRawMode(on: boolean): unknown;
  on(event: 'data', listener: (data: Buffer) => void): unknown;
  off(event: 'data', listener: (data: Buffer) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** Undefined when standard input is not a terminal. */
export function terminalKeys(): KeyInput | undefined {
  return stdin.isTTY === true ? stdin : undefined;
}

/** @returns the function that ends it. */
export function openKeys(input: KeyInput, pressed: (key: Key) => void): () => void {
  const listener = (data: Buffer) => {
    for (const key of readKeys(data.toString('utf8'))) pressed(key);
  };
  input.setRawMode(true);
  input.on('data', listener);
  input.resume();
  return () => {
    input.off('data', listener);
    input.setRawMode(false);
    input.pause();
  };
}

/** Several may arrive at once; what is not known is left out. */
export function readKeys(text: string): readonly Key[] {
  return [...text.matchAll(SEQUENCE)].flatMap(([sequence]) => KEYS.get(sequence) ?? []);
}

// ---------------------------------------------------------------------------------------------------

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal sends keys as control characters
const SEQUENCE = /\u001b\[[\d;]*[A-Za-z~]|\u001bO[A-Z]|[\s\S]/gu;

const KEYS: ReadonlyMap<string, Key> = new Map<string, Key>([
  ['q', 'quit'],
  ['Q', 'quit'],
  // Ctrl-C and Ctrl-D.
  ['\u0003', 'quit'],
  ['\u0004', 'quit'],
  ['k', 'up'],
  ['\u001b[A', 'up'],
  ['\u001bOA', 'up'],
  ['j', 'down'],
  ['\u001b[B', 'down'],
  ['\u001bOB', 'down'],
  ['\u001b[5~', 'pageUp'],
  ['\u001b[6~', 'pageDown'],
  [' ', 'pageDown'],
  ['g', 'home'],
  ['\u001b[H', 'home'],
  ['\u001b[1~', 'home'],
  ['G', 'end'],
  ['\u001b[F', 'end'],
  ['\u001b[4~', 'end'],
  ['s', 'sort'],
  ['r', 'reverse'],
]);
