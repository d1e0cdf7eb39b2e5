/** Finds suppressions: comments in YAML and HCL, annotations of manifests, and the list in the file of expectations. */
import { readText } from '../inputs/files/read-text.ts';
import type { InputProblem, Inputs, Manifest } from '../inputs/inputs.ts';
import { find, type Tree, textAt } from '../model/tree.ts';
import { EXPECTED, IGNORE, isDay, parseIgnore, type Suppression } from './suppression.ts';

export interface Collected {
  readonly suppressions: readonly Suppression[];
  /** Suppressions that suppress nothing because they are incomplete. */
  readonly problems: readonly InputProblem[];
}

/** Reads files of the inputs again, for their comments. @param texts texts that files would have. */
export async function collectSuppressions(
  inputs: Inputs,
  texts: ReadonlyMap<string, string> = new Map(),
): Promise<Collected> {
  const collected = [ofAnnotations(inputs)];
  const files = inputs.commented ?? inputs.files;
  for (const name of files.filter((file) => /\.(ya?ml|tf)$/i.test(file))) {
    // What cannot be read is reported by the readers of inputs.
    const changed = texts.get(name);
    const read =
      changed === undefined
        ? await readText({ name, path: name, sizeBytes: 0 })
        : { text: changed.replaceAll('\r\n', '\n') };
    if ('text' in read && read.text.includes(IGNORE)) collected.push(ofComments(name, read.text, inputs));
  }
  return {
    suppressions: collected.flatMap(({ suppressions }) => suppressions),
    problems: collected.flatMap(({ problems }) => problems),
  };
}

/** @returns the sentence what is wrong with the list, where something is. */
export function ofExpectations(expectations: Tree | undefined): readonly Suppression[] | string {
  const list = find(expectations, 'suppressions');
  if (list === undefined) return [];
  if (list.kind !== 'list') return 'suppressions: expected a list';
  const made: Suppression[] = [];
  for (const [index, item] of list.items.entries()) {
    const id = textAt(item, 'id');
    const until = textAt(item, 'until');
    const reason = textAt(item, 'reason')?.trim() ?? '';
    if (id === undefined || !/^[A-Z]-\d+$/i.test(id) || until === undefined || !isDay(until) || reason === '')
      return `suppressions[${index}]: expected id, reason, and until as YYYY-MM-DD`;
    const object = textAt(item, 'object');
    const file = textAt(item, 'file');
    made.push({
      ids: [id.toUpperCase()],
      until,
      reason,
      at: item.at,
      kind: 'config',
      ...(object === undefined ? {} : { object }),
      ...(file === undefined ? {} : { file }),
    });
  }
  return made;
}

// ---------------------------------------------------------------------------------------------------------------

function ofAnnotations({ manifests }: Inputs): Collected {
  const suppressions: Suppression[] = [];
  const problems: InputProblem[] = [];
  for (const manifest of manifests) {
    const annotation = find(manifest.tree, 'metadata', 'annotations', IGNORE);
    for (const line of (textAt(annotation) ?? '').split('\n').filter((text) => text.trim() !== '')) {
      const parsed = parseIgnore(line);
      if (parsed === undefined) problems.push(incomplete(annotation!.at));
      else suppressions.push({ ...parsed, at: annotation!.at, kind: 'annotation', ...only(manifest) });
    }
  }
  return { suppressions, problems };
}

const COMMENT = new RegExp(`(?:^|\\s)(?:#|//)\\s*${IGNORE}\\b:?(.*)$`);
const NO_CONTENT = /^\s*(#|\/\/|---\s*$|$)/;

/** A comment is about its own line, or the next one with content; before an object, about the whole object. */
function ofComments(file: string, text: string, { manifests }: Inputs): Collected {
  const suppressions: Suppression[] = [];
  const problems: InputProblem[] = [];
  const lines = text.split('\n');
  for (const [index, content] of lines.entries()) {
    const found = COMMENT.exec(content);
    if (found === null) continue;
    const at = { file, line: index + 1 };
    const parsed = parseIgnore(found[1]!);
    if (parsed === undefined) {
      problems.push(incomplete(at));
      continue;
    }
    const below = lines.findIndex((each, place) => place >= index && !NO_CONTENT.test(each));
    const line = below + 1;
    const begun = manifests.find(
      (manifest) => 'file' in manifest.at && manifest.at.file === file && manifest.at.line === line,
    );
    const target = begun === undefined ? { file, line } : only(begun);
    suppressions.push({ ...parsed, at, kind: 'comment', ...target });
  }
  return { suppressions, problems };
}

/** Limits a suppression to the object. */
function only({ kind, name, namespace }: Manifest): Pick<Suppression, 'object' | 'namespace'> {
  return { object: `${kind}/${name}`, ...(namespace === undefined ? {} : { namespace }) };
}

function incomplete(at: InputProblem['at']): InputProblem {
  return { at, message: `${EXPECTED}: it suppresses nothing`, level: 'error' };
}
