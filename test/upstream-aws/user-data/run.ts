/**
 * `npm run test:upstream-aws`: renders the user data of some nodes with Chandler and with upstream Karpenter's AWS provider, and
 * compares them field by field; then the SSM parameters of aliases. Exits with 1 for a difference that the table does not name, and for a row of the table without a
 * difference. Without Go it prints that it was skipped, and why, and succeeds. Options: `--print <input>` (both texts).
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { renderUserData } from '../../../packages/chandler/src/bootstrap/index.ts';
import { buildGo } from '../../upstream/build-go.ts';
import { compare, type UpstreamAnswer, unusedRows } from './compare.ts';
import { IMAGE_REQUESTS, imageDifferences, type UpstreamParameter } from './images.ts';
import { ownInput, REQUESTS } from './inputs.ts';

const { values } = parseArgs({ options: { print: { type: 'string' } } });
const chosen = REQUESTS.filter(({ name }) => values.print === undefined || name === values.print);
if (chosen.length === 0) {
  console.error(`usage: test:upstream-aws [--print ${REQUESTS.map(({ name }) => name).join('|')}]`);
  process.exit(2);
}

const say = (line: string) => console.error(`test:upstream-aws: ${line}`);
const built = await buildGo(
  {
    name: 'upstream-user-data',
    folder: join(import.meta.dirname, 'karpenter'),
    title: "upstream Karpenter's AWS provider",
    module: 'github.com/aws/karpenter-provider-aws',
  },
  say,
);
if ('missing' in built) {
  say(`*** SKIPPED *** ${built.missing}`);
  say('install Go, and allow it to download modules, to compare with upstream');
} else if (values.print === undefined) {
  report(built.version, answers(built.binary, chosen));
  reportImages(answers(built.binary, IMAGE_REQUESTS));
} else {
  console.log(`UPSTREAM ${built.version}\n${answers<UpstreamAnswer>(built.binary, chosen)[0]!.userData}\n`);
  console.log(`CHANDLER\n${renderUserData(ownInput(chosen[0]!)).text}`);
}

// ---------------------------------------------------------------------------------------------------

function answers<A>(binary: string, requests: readonly object[]): readonly A[] {
  const input = requests.map((request) => `${JSON.stringify(request)}\n`).join('');
  const run = spawnSync(binary, { input, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (run.status !== 0) throw new Error(`upstream's program failed: ${run.stderr}`);
  return run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as A);
}

function report(version: string, answered: readonly UpstreamAnswer[]): void {
  const compared = chosen.map((request, index) => compare(request, answered[index]!));
  const differences = compared.flatMap((each) => each.differences);
  for (const { input, field, upstream, ours, wanted } of differences) {
    console.log(`${wanted === undefined ? 'NOT WANTED' : 'wanted    '}  ${input}  ${field}`);
    console.log(`    upstream  ${upstream ?? '(absent)'}\n    ours      ${ours ?? '(absent)'}`);
    if (wanted !== undefined) console.log(`    why       ${wanted.why}`);
  }
  const unused = unusedRows(differences);
  for (const { name } of unused)
    console.log(`the row "${name}" of differences.table.ts explains no difference`);
  const unwanted = differences.filter(({ wanted }) => wanted === undefined).length;
  const fields = compared.reduce((sum, each) => sum + each.fields, 0);
  console.log(
    `karpenter-provider-aws ${version}: ${chosen.length} inputs, ${fields} fields, ` +
      `${differences.length - unwanted} wanted differences, ${unwanted} others`,
  );
  process.exitCode = unwanted === 0 && unused.length === 0 ? 0 : 1;
}

function reportImages(answered: readonly { readonly parameters: readonly UpstreamParameter[] }[]): void {
  const differences = IMAGE_REQUESTS.flatMap((request, index) =>
    imageDifferences(request, answered[index]!.parameters).map((line) => `${request.name}: ${line}`),
  );
  for (const line of differences) console.log(line);
  const parameters = answered.reduce((sum, each) => sum + each.parameters.length, 0);
  console.log(
    `${IMAGE_REQUESTS.length} aliases, ${parameters} SSM parameters, ${differences.length} differences`,
  );
  if (differences.length > 0) process.exitCode = 1;
}
