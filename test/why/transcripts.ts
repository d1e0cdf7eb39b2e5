/**
 * The transcripts of docs/why.md, made from cases of the corpus: `node test/why/transcripts.ts` writes them, `--check`
 * fails when the page has others. Times are those of the cases, so that the page changes only when answers do.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { explanationText } from '../../packages/chandler/src/diagnose/index.ts';
import { corpus, runObjects } from './corpus.ts';

const PAGE = join(import.meta.dirname, '../../docs/why.md');
const BEFORE = join(import.meta.dirname, 'before-0.2.0');
const END = '<!-- end of transcripts -->';

const STORIES: readonly { readonly file: string; readonly words: string }[] = [
  { file: 'L6.3-too-large.yaml', words: 'A pod requests more than any VM size has.' },
  {
    file: 'cse-extension.yaml',
    words: 'A VM is created, but its bootstrap script cannot reach the API server.',
  },
  {
    file: 'L4.2-reader-missing.yaml',
    words: 'Disks should use a customer-managed key, but a role assignment is missing.',
  },
  {
    file: 'L3.4-not-on-disk.yaml',
    words: 'A pod is Ready, but the OS disk of its node does not use the configured key.',
  },
  {
    file: 'L7.5-service-unreachable.yaml',
    words: 'A container exits because a Service that it needs has no endpoints.',
  },
];

/** Answers that were wrong in version 0.2.0. What it printed is in a file of the name of the case. */
const COMPARED: readonly { readonly file: string; readonly words: string }[] = [
  {
    file: 'mixed-zone-typo-beside-full-pool.yaml',
    words: 'The zone that the pod selects is misspelled, and another NodePool is at its limit.',
  },
  {
    file: 'mixed-dedicated-without-toleration.yaml',
    words: 'The pod selects a dedicated NodePool by its label, and does not tolerate its taint.',
  },
  {
    file: 'mixed-gated-beside-failed-claim.yaml',
    words: 'The pod has a scheduling gate, and a NodeClaim of the only NodePool failed for another pod.',
  },
  {
    file: 'mixed-volume-zone.yaml',
    words: 'The volume of the pod is in a zone that no NodePool allows.',
  },
];

export async function transcripts(): Promise<string> {
  const parts: string[] = [];
  for (const { file, words } of STORIES) parts.push(`${words}\n\n${await transcript(file)}`);
  return parts.join('\n');
}

/** The page with its transcripts as they are now. */
export async function renderedPage(): Promise<string> {
  const page = readFileSync(PAGE, 'utf8');
  const told = between(page, '<!-- transcripts: node test/why/transcripts.ts -->', await transcripts());
  return between(told, '<!-- before and after: node test/why/transcripts.ts -->', await comparisons());
}

// ---------------------------------------------------------------------------------------------------

async function comparisons(): Promise<string> {
  const parts: string[] = [];
  for (const { file, words } of COMPARED) {
    const before = readFileSync(join(BEFORE, file.replace('.yaml', '.txt')), 'utf8').trimEnd();
    parts.push(
      `${words} Version 0.2.0 said:\n\n\`\`\`console\n${before}\n\`\`\`\n\nNow:\n\n${await transcript(file)}`,
    );
  }
  return parts.join('\n');
}

async function transcript(file: string): Promise<string> {
  const one = corpus().find((each) => each.file === file);
  if (one === undefined) throw new Error(`no case ${file}`);
  const { explanation } = await runObjects(one);
  if (explanation === undefined) throw new Error(`${file} has no answer`);
  return `\`\`\`console\n$ chandler why ${one.ask}\n${explanationText(explanation).trimEnd()}\n\`\`\`\n`;
}

/** Replaces what is between a mark and the next end of transcripts. */
function between(page: string, begin: string, text: string): string {
  const at = page.indexOf(begin);
  const end = page.indexOf(END, at);
  if (at < 0 || end < 0) throw new Error(`docs/why.md has no place for ${begin}`);
  return `${page.slice(0, at)}${begin}\n\n${text}\n${page.slice(end)}`;
}

if (import.meta.main) {
  const page = await renderedPage();
  if (process.argv.includes('--check')) {
    if (page !== readFileSync(PAGE, 'utf8')) {
      console.error('docs/why.md is not up to date: node test/why/transcripts.ts');
      process.exitCode = 1;
    }
  } else writeFileSync(PAGE, page);
}
