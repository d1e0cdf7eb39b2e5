/**
 * The difference of two values as a unified diff of their indented JSON, three lines of context around each change.
 * Which lines count as the same follows the classic algorithm (longest common block first, lines that are everywhere
 * in a long text are no anchors), because its choices are visible in the outcome.
 */

export function jsonDifference(before: unknown, after: unknown): string {
  const old = linesOf(before);
  const next = linesOf(after);
  let text = '';
  for (const group of groupsOf(changesOf(old, next))) text += hunk(group, old, next);
  return text;
}

// ---------------------------------------------------------------------------------------------------

const CONTEXT = 3;
/** From this many lines on, a line that makes up more than one in a hundred is no anchor. */
const LONG_TEXT = 200;

interface Block {
  readonly old: number;
  readonly next: number;
  readonly size: number;
}

interface Change {
  readonly kind: 'equal' | 'delete' | 'insert' | 'replace';
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly nextFrom: number;
  readonly nextTo: number;
}

function linesOf(value: unknown): string[] {
  return JSON.stringify(value, undefined, 1).split('\n');
}

function positionsOf(lines: readonly string[]): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  lines.forEach((line, index) => {
    const known = positions.get(line);
    if (known === undefined) positions.set(line, [index]);
    else known.push(index);
  });
  if (lines.length < LONG_TEXT) return positions;
  const most = Math.floor(lines.length / 100) + 1;
  for (const [line, found] of positions) if (found.length > most) positions.delete(line);
  return positions;
}

class Matcher {
  readonly #old: readonly string[];
  readonly #next: readonly string[];
  readonly #positions: ReadonlyMap<string, readonly number[]>;
  readonly blocks: Block[] = [];

  constructor(old: readonly string[], next: readonly string[]) {
    this.#old = old;
    this.#next = next;
    this.#positions = positionsOf(next);
    this.#match(0, old.length, 0, next.length);
  }

  #match(oldFrom: number, oldTo: number, nextFrom: number, nextTo: number): void {
    const block = this.#longest(oldFrom, oldTo, nextFrom, nextTo);
    if (block.size === 0) return;
    if (oldFrom < block.old && nextFrom < block.next) this.#match(oldFrom, block.old, nextFrom, block.next);
    this.blocks.push(block);
    const oldEnd = block.old + block.size;
    const nextEnd = block.next + block.size;
    if (oldEnd < oldTo && nextEnd < nextTo) this.#match(oldEnd, oldTo, nextEnd, nextTo);
  }

  #longest(oldFrom: number, oldTo: number, nextFrom: number, nextTo: number): Block {
    let best: Block = { old: oldFrom, next: nextFrom, size: 0 };
    let lengths = new Map<number, number>();
    for (let at = oldFrom; at < oldTo; at++) {
      const row = new Map<number, number>();
      for (const position of this.#positions.get(this.#old[at]!) ?? []) {
        if (position < nextFrom) continue;
        if (position >= nextTo) break;
        const size = (lengths.get(position - 1) ?? 0) + 1;
        row.set(position, size);
        if (size > best.size) best = { old: at - size + 1, next: position - size + 1, size };
      }
      lengths = row;
    }
    return this.#grown(best, oldFrom, oldTo, nextFrom, nextTo);
  }

  /** Lines that are no anchors still belong to the block they touch. */
  #grown(block: Block, oldFrom: number, oldTo: number, nextFrom: number, nextTo: number): Block {
    let { old, next, size } = block;
    while (old > oldFrom && next > nextFrom && this.#old[old - 1] === this.#next[next - 1]) {
      old--;
      next--;
      size++;
    }
    while (old + size < oldTo && next + size < nextTo && this.#old[old + size] === this.#next[next + size])
      size++;
    return { old, next, size };
  }
}

function changesOf(old: readonly string[], next: readonly string[]): Change[] {
  const changes: Change[] = [];
  let oldAt = 0;
  let nextAt = 0;
  const end: Block = { old: old.length, next: next.length, size: 0 };
  for (const block of [...new Matcher(old, next).blocks, end]) {
    const removes = oldAt < block.old;
    const adds = nextAt < block.next;
    if (removes || adds) {
      const kind = removes && adds ? 'replace' : removes ? 'delete' : 'insert';
      changes.push({ kind, oldFrom: oldAt, oldTo: block.old, nextFrom: nextAt, nextTo: block.next });
    }
    oldAt = block.old + block.size;
    nextAt = block.next + block.size;
    if (block.size > 0) {
      changes.push({ kind: 'equal', oldFrom: block.old, oldTo: oldAt, nextFrom: block.next, nextTo: nextAt });
    }
  }
  return joined(changes);
}

/** Blocks that touch are one. */
function joined(changes: readonly Change[]): Change[] {
  const result: Change[] = [];
  for (const change of changes) {
    const last = result.at(-1);
    if (last?.kind === 'equal' && change.kind === 'equal') {
      result[result.length - 1] = { ...last, oldTo: change.oldTo, nextTo: change.nextTo };
    } else result.push(change);
  }
  return result;
}

/** Changes with their surroundings; what is far from any change is left out. */
function groupsOf(changes: Change[]): Change[][] {
  const trimmed = changes.map((change, index) => {
    if (change.kind !== 'equal') return change;
    const { oldFrom, oldTo, nextFrom, nextTo } = change;
    if (index === 0)
      return {
        ...change,
        oldFrom: Math.max(oldFrom, oldTo - CONTEXT),
        nextFrom: Math.max(nextFrom, nextTo - CONTEXT),
      };
    if (index < changes.length - 1) return change;
    return {
      ...change,
      oldTo: Math.min(oldTo, oldFrom + CONTEXT),
      nextTo: Math.min(nextTo, nextFrom + CONTEXT),
    };
  });
  const groups: Change[][] = [];
  let group: Change[] = [];
  for (const change of trimmed) {
    const { oldFrom, oldTo, nextFrom, nextTo } = change;
    if (change.kind === 'equal' && oldTo - oldFrom > 2 * CONTEXT) {
      groups.push([...group, { ...change, oldTo: oldFrom + CONTEXT, nextTo: nextFrom + CONTEXT }]);
      group = [{ ...change, oldFrom: oldTo - CONTEXT, nextFrom: nextTo - CONTEXT }];
    } else group.push(change);
  }
  groups.push(group);
  return groups.filter((one) => one.some(({ kind }) => kind !== 'equal'));
}

function hunk(group: readonly Change[], old: readonly string[], next: readonly string[]): string {
  const first = group[0]!;
  const last = group.at(-1)!;
  const lines = [`@@ -${range(first.oldFrom, last.oldTo)} +${range(first.nextFrom, last.nextTo)} @@`];
  for (const { kind, oldFrom, oldTo, nextFrom, nextTo } of group) {
    if (kind === 'equal') for (const line of old.slice(oldFrom, oldTo)) lines.push(` ${line}`);
    else {
      for (const line of old.slice(oldFrom, oldTo)) lines.push(`-${line}`);
      for (const line of next.slice(nextFrom, nextTo)) lines.push(`+${line}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function range(from: number, to: number): string {
  const size = to - from;
  if (size === 1) return String(from + 1);
  return `${size === 0 ? from : from + 1},${size}`;
}
