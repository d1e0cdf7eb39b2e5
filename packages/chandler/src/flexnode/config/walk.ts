/**
 * Validates the tree of a config file against the table: every key must be known, and every value must have its type. The
 * values are returned by their path in the table, independent of aliases; defaults are not applied here.
 */
import { closestName } from '../../settings/index.ts';
import type { ConfigProblem } from './config-result.ts';
import type { JsonMember, JsonNode, JsonObject } from './json-text.ts';
import type { ConfigRow, IgnoredKey } from './row.ts';
import { readValue } from './values.ts';

export interface Walked {
  /** By the path in the table. */
  readonly found: ReadonlyMap<string, Found>;
  /** Lines of the objects that are there, by path; the whole file is ''. */
  readonly objects: ReadonlyMap<string, number>;
  /** The first secret in the file. */
  readonly secret: Found | undefined;
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
}

export interface Found {
  /** As it was written. */
  readonly path: string;
  readonly line: number;
  readonly value: unknown;
}

export function walkConfig(
  root: JsonObject,
  rows: readonly ConfigRow[],
  gone: readonly IgnoredKey[],
): Walked {
  const walk = new Walk(treeOf(rows, gone));
  walk.object(root, '', walk.tree);
  const found = new Map<string, Found>();
  for (const row of rows) {
    const chosen = walk.choose(row);
    if (chosen !== undefined) found.set(row.path, chosen);
    else if (!walk.refused.has(row.path)) walk.missing(row);
  }
  return {
    found,
    objects: walk.objects,
    secret: walk.secret,
    problems: walk.problems.toSorted(byLine),
    warnings: walk.warnings.toSorted(byLine),
  };
}

// ---------------------------------------------------------------------------------------------------

interface Branch {
  readonly children: Map<string, Branch>;
  row?: ConfigRow;
  gone?: IgnoredKey;
}

class Walk {
  readonly tree: Branch;
  readonly objects = new Map<string, number>();
  readonly problems: ConfigProblem[] = [];
  readonly warnings: ConfigProblem[] = [];
  /** Paths with an invalid value: reported once, no further check looks at them. */
  readonly refused = new Set<string>();
  secret: Found | undefined;
  readonly #written = new Map<string, Found>();

  constructor(tree: Branch) {
    this.tree = tree;
  }

  object(node: JsonObject, path: string, branch: Branch): void {
    this.objects.set(path, node.line);
    for (const member of node.members) {
      const here = path === '' ? member.key : `${path}.${member.key}`;
      const child = branch.children.get(member.key);
      if (child === undefined) this.#unknown(member, here, path, branch);
      else if (child.gone !== undefined) this.#gone(child.gone, member, here);
      else if (child.row !== undefined) this.#leaf(child.row, member, here);
      else if (member.value.kind === 'object') this.object(member.value, here, child);
      else {
        const names = [...child.children.keys()].join(', ');
        this.#problem(here, member.value, `${here}: must be an object with ${names}`);
        this.#refuseBelow(here, child);
      }
    }
  }

  /** The newest of the names that the file uses for one key; a warning names the others if their values differ. */
  choose(row: ConfigRow): Found | undefined {
    const names = [
      ...(row.alsoNamed ?? []).filter((other) => other.newer).map((other) => other.path),
      row.path,
      ...(row.alsoNamed ?? []).filter((other) => !other.newer).map((other) => other.path),
    ];
    const given = names.map((name) => this.#written.get(name)).filter((each) => each !== undefined);
    const [chosen, ...others] = given;
    for (const other of others) {
      if (JSON.stringify(other.value) !== JSON.stringify(chosen!.value))
        this.warnings.push({
          path: other.path,
          line: other.line,
          message: `${other.path} is ignored: ${chosen!.path} has another value and takes precedence`,
        });
    }
    return chosen;
  }

  missing(row: ConfigRow): void {
    const needed =
      row.required === true || (row.requiredWith !== undefined && this.objects.has(row.requiredWith));
    if (!needed) return;
    const parent = row.path.slice(0, row.path.lastIndexOf('.'));
    this.problems.push({
      path: row.path,
      line: this.#nearestLine(parent),
      message: `${row.path} is required`,
    });
  }

  #leaf(row: ConfigRow, member: JsonMember, path: string): void {
    const other = row.alsoNamed?.find((name) => name.path === path);
    const reading = readValue(row, path, member.value, other?.check ?? row.check);
    if (reading.kind === 'absent') return;
    if (reading.kind === 'refused') {
      this.problems.push(...reading.problems);
      this.refused.add(row.path);
      return;
    }
    const found = { path, line: member.line, value: reading.value };
    this.#written.set(path, found);
    if (row.secret === true) this.secret ??= found;
  }

  #gone(gone: IgnoredKey, member: JsonMember, path: string): void {
    this.warnings.push({ path, line: member.line, message: `${path} has no effect: ${gone.why}` });
    if (gone.secret === true) this.secret ??= { path, line: member.line, value: undefined };
  }

  #unknown(member: JsonMember, path: string, parent: string, branch: Branch): void {
    const suggestion = this.#guess(member.key, parent, branch);
    this.problems.push({
      path,
      line: member.line,
      message: `${path}: unknown key`,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  }

  #guess(key: string, parent: string, branch: Branch): string | undefined {
    const siblings = [...branch.children.keys()];
    const near =
      siblings.find((name) => name.toLowerCase() === key.toLowerCase()) ?? closestName(key, siblings);
    if (near !== undefined) return `did you mean "${near}"?`;
    if (branchAt(this.tree, parent === '' ? key : `${parent}.${key}`) !== undefined)
      return `write it as nested objects: ${nested(key)}`;
    const elsewhere = pathsEndingIn(this.tree, key);
    if (elsewhere.length > 0) return `did you mean ${elsewhere.join(' or ')}?`;
    return parent === '' ? `valid keys: ${siblings.join(', ')}` : `keys of ${parent}: ${siblings.join(', ')}`;
  }

  #refuseBelow(path: string, branch: Branch): void {
    for (const [name, child] of branch.children) this.#refuseBelow(`${path}.${name}`, child);
    this.refused.add(path);
  }

  #nearestLine(path: string): number {
    for (let at = path; at !== ''; at = at.includes('.') ? at.slice(0, at.lastIndexOf('.')) : '') {
      const line = this.objects.get(at);
      if (line !== undefined) return line;
    }
    return this.objects.get('') ?? 1;
  }

  #problem(path: string, node: JsonNode, message: string): void {
    this.problems.push({ path, line: node.line, message });
  }
}

function treeOf(rows: readonly ConfigRow[], gone: readonly IgnoredKey[]): Branch {
  const root: Branch = { children: new Map() };
  for (const row of rows) {
    for (const path of [row.path, ...(row.alsoNamed ?? []).map((other) => other.path)])
      grow(root, path).row = row;
  }
  for (const row of gone) grow(root, row.path).gone = row;
  return root;
}

function grow(root: Branch, path: string): Branch {
  let branch = root;
  for (const name of path.split('.')) {
    const next = branch.children.get(name) ?? { children: new Map() };
    branch.children.set(name, next);
    branch = next;
  }
  return branch;
}

function branchAt(root: Branch, path: string): Branch | undefined {
  let branch: Branch | undefined = root;
  for (const name of path.split('.')) branch = branch?.children.get(name);
  return branch;
}

function pathsEndingIn(branch: Branch, key: string, path = ''): string[] {
  return [...branch.children].flatMap(([name, child]) => {
    const here = path === '' ? name : `${path}.${name}`;
    const hit = name.toLowerCase() === key.toLowerCase() && child.gone === undefined ? [here] : [];
    return [...hit, ...pathsEndingIn(child, key, here)];
  });
}

function nested(path: string): string {
  const names = path.split('.');
  return `${names.map((name) => `{"${name}": `).join('')}…${'}'.repeat(names.length)}`;
}

function byLine(one: ConfigProblem, other: ConfigProblem): number {
  return one.line - other.line;
}
