/** `--fix`: plans the edits, judges the result before anything is written, shows it as a diff, and writes it. */
import {
  chmod,
  constants,
  copyFile,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import type { Random } from '@chandler/kube';
import { gatherFacts } from '../facts/gather.ts';
import type { InputProblem, Inputs } from '../inputs/inputs.ts';
import type { Report } from '../judge.ts';
import type { Finding } from '../model/finding.ts';
import { placeText } from '../model/place.ts';
import { unifiedDiff } from './diff.ts';
import { applyEdits, splitLines } from './lines.ts';
import { type FixPlan, planFixes } from './plan-fixes.ts';

export interface Fixes extends Pick<FixPlan, 'fixed' | 'left'> {
  readonly diff: string;
  /** The new text of each file that changes. */
  readonly texts: ReadonlyMap<string, string>;
  /** The report of the files as they would be. */
  readonly after: Report;
  /** Findings that the edits would cause. While there are any, nothing is written. */
  readonly caused: readonly Finding[];
  /** What could not be read after the edits, with its place; then nothing is fixed, and nothing is written. */
  readonly broken: readonly string[];
}

/** @param judgeTexts judges the inputs with these texts in place of what the files say. */
export async function prepareFixes(
  inputs: Inputs,
  before: Report,
  judgeTexts: (texts: ReadonlyMap<string, string>) => Promise<Report>,
): Promise<Fixes> {
  const files = new Map<string, readonly string[]>();
  for (const name of editableFiles(before)) {
    const text = await readUtf8(name);
    if (text !== undefined) files.set(name, splitLines(text));
  }
  const plan = planFixes(before, gatherFacts(inputs), (file) => files.get(file));
  const names = [...plan.edits.keys()].sort();
  const texts = new Map(
    names.map((name) => [name, applyEdits(files.get(name)!, plan.edits.get(name)!).join('')]),
  );
  const after = texts.size === 0 ? before : await judgeTexts(texts);
  const known = new Set(before.findings.filter(isOpen).map(keyOf));
  const open = new Set(after.findings.filter(isOpen).map(keyOf));
  const broken = newErrors(before, after);
  const isFixed = (finding: Finding) => broken.length === 0 && !open.has(keyOf(finding));
  return {
    fixed: plan.fixed.filter(isFixed),
    left: [
      ...plan.left.filter(({ finding }) => !isFixed(finding)),
      ...plan.fixed
        .filter((finding) => !isFixed(finding))
        .map((finding) => ({ finding, why: broken.length === 0 ? PARTLY : BROKEN })),
    ],
    diff: names.map((name) => unifiedDiff(name, files.get(name)!, plan.edits.get(name)!)).join(''),
    texts,
    after,
    caused: after.findings.filter((finding) => finding.status === 'fail' && !known.has(keyOf(finding))),
    broken,
  };
}

/** Each file is replaced as a whole; what it was before is in `FILE.bak`, or in `FILE.bak.1` where that exists. */
export async function writeFixes(texts: ReadonlyMap<string, string>, random: Random): Promise<void> {
  for (const [name, text] of texts) {
    const path = await realpath(name);
    const { mode } = await stat(path);
    await backUp(path);
    const next = `${path}.${random.uuid()}`;
    try {
      await writeFile(next, text, { flag: 'wx' });
      await chmod(next, mode);
      await rename(next, path);
    } catch (error) {
      await rm(next, { force: true });
      throw error;
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------

const MAX_BACKUPS = 1000;

/** Never over a file that is there: it may be of the user, or of an earlier run. */
async function backUp(path: string): Promise<void> {
  for (let number = 0; ; number += 1) {
    const name = `${path}.bak${number === 0 ? '' : `.${number}`}`;
    try {
      return await copyFile(path, name, constants.COPYFILE_EXCL);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number >= MAX_BACKUPS) throw error;
    }
  }
}

const PARTLY = 'the lines that could be edited are not enough';
const BROKEN = 'a file could not be read afterwards';

/** Of each file that has more errors than before. Lines move, and messages name them: the errors themselves do not compare. */
function newErrors(before: Report, after: Report): readonly string[] {
  const known = errorsByPlace(before);
  return [...errorsByPlace(after)].flatMap(([place, errors]) =>
    errors.length > (known.get(place)?.length ?? 0)
      ? errors.map(({ at, message }) => `${placeText(at)}: ${message}`)
      : [],
  );
}

function errorsByPlace({ problems }: Report): ReadonlyMap<string, readonly InputProblem[]> {
  const errors = problems.filter(({ level }) => level === 'error');
  return Map.groupBy(errors, ({ at }) => ('file' in at ? at.file : at.call));
}

function editableFiles({ findings }: Report): ReadonlySet<string> {
  return new Set(
    findings
      .filter(isOpen)
      .flatMap(({ evidence }) => evidence.flatMap(({ at }) => ('file' in at ? [at.file] : [])))
      .filter((file) => /\.(ya?ml|json|tf)$/i.test(file)),
  );
}

/** As it is, with its byte order mark and line ends; undefined for other encodings, which are not edited. */
async function readUtf8(name: string): Promise<string | undefined> {
  const bytes = await readFile(name).catch(() => undefined);
  if (bytes === undefined) return undefined;
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined;
}

function isOpen({ status }: Finding): boolean {
  return status === 'fail' || status === 'warn';
}

function keyOf({ id, object, evidence }: Finding): string {
  return `${id}\0${object ?? ''}\0${evidence[0]?.what ?? ''}`;
}
