/**
 * The transcripts of docs/why.md, made from cases of the corpus: `node test/why/transcripts.ts` writes them, `--check`
 * fails when the page has others. Times are those of the cases, so that the page changes only when answers do.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { explanationText } from '../../packages/chandler/src/diagnose/index.ts';
import { corpus, runObjects } from './corpus.ts';

const PAGE = join(import.meta.dirname, '../../docs/why.md');

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

export async function transcripts(): Promise<string> {
  const cases = corpus();
  const parts: string[] = [];
  for (const { file, words } of STORIES) {
    const one = cases.find((each) => each.file === file);
    if (one === undefined) throw new Error(`no case ${file}`);
    const { explanation } = await runObjects(one);
    if (explanation === undefined) throw new Error(`${file} has no answer`);
    parts.push(
      `${words}\n\n\`\`\`console\n$ chandler why ${one.ask}\n${explanationText(explanation).trimEnd()}\n\`\`\`\n`,
    );
  }
  return parts.join('\n');
}

/** The page with its transcripts as they are now. */
export async function renderedPage(): Promise<string> {
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error('docs/why.md has no place for transcripts');
  return `${before}${BEGIN}\n\n${await transcripts()}\n${END}${after}`;
}

const BEGIN = '<!-- transcripts: node test/why/transcripts.ts -->';
const END = '<!-- end of transcripts -->';

if (import.meta.main) {
  const page = await renderedPage();
  if (process.argv.includes('--check')) {
    if (page !== readFileSync(PAGE, 'utf8')) {
      console.error('docs/why.md is not up to date: node test/why/transcripts.ts');
      process.exitCode = 1;
    }
  } else writeFileSync(PAGE, page);
}
