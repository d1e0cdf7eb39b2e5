/**
 * YAML that is a text inside another file: values of an Application, a heredoc of Terraform, an inline patch. A text that is known
 * in parts is read with its gaps, and what depends on a gap is unknown.
 */
import type { ScalarTree, Tree, UnknownTree } from '../../model/tree.ts';
import { readYaml, type YamlTrees } from './yaml-trees.ts';

/** Undefined: the text is not known, or what is not known of it decides its shape. */
export function readInnerYaml(tree: Tree): YamlTrees | undefined {
  if (tree.kind === 'scalar' && typeof tree.value === 'string') return read(tree.value, tree);
  if (tree.kind !== 'unknown' || tree.parts === undefined) return undefined;
  const gaps: UnknownTree[] = [];
  const text = tree.parts.map((part) => {
    if (typeof part === 'string') return part;
    if (part.kind !== 'unknown') return part.kind === 'scalar' ? String(part.value) : '';
    gaps.push(part);
    return gapText(gaps.length - 1);
  });
  const found = read(text.join(''), tree);
  if (found === undefined || found.problems.length > 0) return undefined;
  const made = new Map<Tree, Tree>();
  return { trees: found.trees.map((each) => withGaps(each, gaps, made)), problems: [] };
}

// ---------------------------------------------------------------------------------------------------------------

/** A text that is written in one line has all its values there. */
function read(text: string, { at, firstLine }: ScalarTree | UnknownTree): YamlTrees | undefined {
  if (firstLine !== undefined)
    return readYaml(text, firstLine.file, (line) => (firstLine.line ?? 1) - 1 + line);
  return 'call' in at ? undefined : readYaml(text, at.file, () => at.line ?? 1);
}

const GAP = /chandler-gap-(\d+)-/;

function gapText(index: number): string {
  return `chandler-gap-${index}-`;
}

/** What anchors share is made once. */
function withGaps(tree: Tree, gaps: readonly UnknownTree[], made: Map<Tree, Tree>): Tree {
  const known = made.get(tree);
  if (known !== undefined) return known;
  const below = (each: Tree) => withGaps(each, gaps, made);
  let result = tree;
  if (tree.kind === 'list') result = { ...tree, items: tree.items.map(below) };
  else if (tree.kind === 'map')
    result = [...tree.entries.keys()].some((name) => GAP.test(name))
      ? { kind: 'unknown', why: 'has keys that are not known', at: tree.at }
      : { ...tree, entries: new Map([...tree.entries].map(([name, each]) => [name, below(each)])) };
  else if (tree.kind === 'scalar') {
    const found = GAP.exec(String(tree.value));
    const gap = found === null ? undefined : gaps[Number(found[1])];
    // A gap that is the whole value is what its reference names.
    if (gap !== undefined)
      result =
        found![0] === tree.value
          ? { ...gap, at: tree.at }
          : { kind: 'unknown', why: gap.why, parts: partsOf(String(tree.value), gaps), at: tree.at };
  }
  made.set(tree, result);
  return result;
}

/** The texts between gaps, and the gaps. */
function partsOf(text: string, gaps: readonly UnknownTree[]): readonly (string | Tree)[] {
  return text.split(GAP).map((part, index) => (index % 2 === 0 ? part : (gaps[Number(part)] ?? part)));
}
