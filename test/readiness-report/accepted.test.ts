/** Findings that somebody accepts: suppressions with a reason and an end, and the baseline. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { aNodeClass } from '../readiness/examples/example.ts';
import { SARIF_SCHEMA } from './sarif-schema.table.ts';
import { violations } from './schema.ts';
import { check, ESTATE, Folders } from './verb.ts';

const folders = new Folders();
afterAll(() => folders.remove());

const NOW = Date.UTC(2026, 10, 17, 12);
const TOKENS = '  metadataOptions:\n    httpTokens: optional';

interface Found {
  readonly id: string;
  readonly object: string | null;
  readonly status: string;
  readonly message: string;
  readonly suppressed?: { readonly status: string; readonly reason: string; readonly until: string };
  readonly known?: true;
}

async function found(args: readonly string[], id = 'S-35') {
  const { code, out, err } = await check([...args, '--only', id, '-o', 'json'], NOW);
  const report = err === '' ? JSON.parse(out) : { findings: [], problems: [] };
  return { code, err, report, findings: report.findings as readonly Found[], problems: report.problems };
}

describe('a suppression', () => {
  const accepted = {
    status: 'skip',
    suppressed: { status: 'fail', reason: 'old agents need it', until: '2027-01-31' },
  };
  const rule = 'S-35 until 2027-01-31: old agents need it';

  test.each([
    ['in a comment at the end of its line', aNodeClass(`${TOKENS} # readiness/ignore ${rule}`)],
    [
      'in a comment above its line',
      aNodeClass(TOKENS.replace('    http', `    # readiness/ignore: ${rule}\n    # why\n    http`)),
    ],
    ['in a comment above the object', `---\n# readiness/ignore S-34,${rule}\n\n${aNodeClass(TOKENS)}`],
    [
      'in an annotation of the object',
      aNodeClass(TOKENS).replace('spec:', `  annotations:\n    readiness/ignore: "${rule}"\nspec:`),
    ],
  ])('%s makes a finding count for nothing', async (name, text) => {
    const { code, findings } = await found([folders.written(name, { 'class.yaml': text })]);
    expect(findings).toMatchObject([accepted]);
    expect(code).toBe(0);
  });

  test('in Terraform is found, too', async () => {
    const text =
      'resource "aws_subnet" "a" {\n  // readiness/ignore S-07 until 2027-01-31: tagged by others\n  map_public_ip_on_launch = true\n}\n';
    const { problems } = await found([folders.written('hcl', { 'main.tf': text })], 'S-07');
    expect(problems).toEqual([]);
  });

  test.each([
    ['all objects', '', ['skip', 'skip']],
    ['one object', 'object: EC2NodeClass/a', ['skip', 'fail']],
    ['one file', 'file: b.yaml', ['fail', 'skip']],
  ])('in the file of expectations can be about %s', async (name, limit, statuses) => {
    const path = folders.written(name, {
      'a.yaml': aNodeClass(TOKENS, 'a'),
      'b.yaml': aNodeClass(TOKENS, 'b'),
      'c/expected.yaml': `suppressions:\n  - id: s-35\n    reason: old agents need it\n    until: "2027-01-31"\n    ${limit}\n`,
    });
    const { findings } = await found([path, '--config', join(path, 'c/expected.yaml')]);
    const byName = findings.toSorted((a, b) => (a.object! < b.object! ? -1 : 1));
    expect(byName.map(({ status }) => status)).toEqual(statuses);
  });

  test.each([
    ['the last day', '2026-11-17', 'skip'],
    ['the day after', '2026-11-16', 'fail'],
  ])('holds until the end of its last day: %s', async (name, until, status) => {
    const text = aNodeClass(`${TOKENS} # readiness/ignore S-35 until ${until}: agents`);
    const { findings } = await found([folders.written(name, { 'class.yaml': text })]);
    expect(findings).toMatchObject([{ status }]);
    if (status === 'fail') expect(findings[0]!.message).toContain(`Its suppression expired on ${until}.`);
  });

  test.each([
    ['without a reason', 'S-35 until 2027-01-31:'],
    ['without an end', 'S-35: agents'],
    ['until a day that does not exist', 'S-35 until 2027-02-30: agents'],
    ['of no check', 'until 2027-01-31: agents'],
  ])('%s suppresses nothing, and is reported', async (name, text) => {
    const path = folders.written(name, { 'class.yaml': aNodeClass(`${TOKENS} # readiness/ignore ${text}`) });
    const { findings, problems, code } = await found([path, '--require-inputs']);
    expect(findings).toMatchObject([{ status: 'fail' }]);
    expect(problems).toMatchObject([
      { level: 'error', message: expect.stringContaining('suppresses nothing') },
    ]);
    expect(code).toBe(3);
  });

  test.each([
    'suppressions: {}',
    'suppressions:\n  - id: S-35\n    reason: agents\n',
    'suppressions:\n  - id: S-35\n    until: "2027-01-31"\n',
    'suppressions:\n  - reason: agents\n    until: "2027-01-31"\n',
  ])('in the file of expectations that is incomplete is a usage error: %j', async (text) => {
    const path = folders.written('incomplete', { 'a.yaml': aNodeClass(TOKENS), 'c.yaml': text });
    expect(await found([path, '--config', join(path, 'c.yaml')])).toMatchObject({
      code: 2,
      err: expect.stringContaining('expected'),
    });
  });

  test('of another check or another line suppresses nothing', async () => {
    const path = folders.written('other', {
      'class.yaml': `${aNodeClass(`${TOKENS} # readiness/ignore S-32 until 2027-01-31: agents`)}  role: a # readiness/ignore S-35 until 2027-01-31: agents\n`,
    });
    expect((await found([path])).findings).toMatchObject([{ status: 'fail' }]);
  });

  test('is reported in text and in SARIF', async () => {
    const text = aNodeClass(`${TOKENS} # readiness/ignore ${rule}`);
    const path = folders.written('reported', { 'class.yaml': text });
    const { out } = await check([path], NOW);
    expect(out).toContain('Suppressed: 1 findings.');
    expect(out).toContain('suppressed until 2027-01-31: old agents need it');
    const log = JSON.parse((await check([path, '-o', 'sarif'], NOW)).out);
    expect(violations(SARIF_SCHEMA, log)).toEqual([]);
    expect(log.runs[0].results.find(({ ruleId }: { ruleId: string }) => ruleId === 'S-35')).toMatchObject({
      level: 'error',
      suppressions: [{ kind: 'inSource', justification: 'old agents need it' }],
    });
  });
});

describe('--baseline', () => {
  const file = join(folders.written('baseline', {}), 'baseline.json');

  test('is written, and then only what is new counts', async () => {
    const path = folders.estate('estate');
    expect((await check([path, '--baseline', file, '--update-baseline'], NOW)).code).toBe(0);
    const again = await check([path, '--baseline', file], NOW);
    expect(again.code).toBe(0);
    expect(again.out).toMatch(/^Readiness: 69 %/);
    expect(again.out).toMatch(/Baseline: 0 new findings, \d+ known, 0 gone\./);
    const nodeClass = join(path, 'karpenter/node-class.yaml');
    const text = readFileSync(nodeClass, 'utf8');
    writeFileSync(nodeClass, `# moved\n${text}`);
    expect((await check([path, '--baseline', file], NOW)).code).toBe(0);
    writeFileSync(nodeClass, text.replace('httpTokens: required', 'httpTokens: optional'));
    const { code, out } = await check([path, '--baseline', file], NOW);
    expect(code).toBe(1);
    expect(out).toMatch(/Baseline: 1 new findings, /);
    expect(out).toContain('        EC2NodeClass/penumbra-nodes: IMDSv1 is allowed.');
    expect(out).toContain('        (known) EC2NodeClass/kubelet-custom: IMDSv1 is allowed.');
  });

  test('a finding that got worse is new', async () => {
    expect((await check([ESTATE, '--baseline', file, '--update-baseline', '--only', 'S-32'], NOW)).code).toBe(
      0,
    );
    expect((await check([ESTATE, '--baseline', file, '--only', 'S-32', '--strict'], NOW)).code).toBe(1);
  });

  test('what is gone is counted, and SARIF says what is new', async () => {
    await check([ESTATE, '--baseline', file, '--update-baseline', '--only', 'S-35,S-42'], NOW);
    const { out } = await check([ESTATE, '--baseline', file, '--only', 'S-35,S-16', '-o', 'sarif'], NOW);
    const log = JSON.parse(out);
    expect(violations(SARIF_SCHEMA, log)).toEqual([]);
    const states = log.runs[0].results.map((each: { ruleId: string; baselineState: string }) => [
      each.ruleId,
      each.baselineState,
    ]);
    expect(states).toEqual([
      ['S-16', 'new'],
      ['S-35', 'unchanged'],
    ]);
    expect((await check([ESTATE, '--baseline', file, '--only', 'S-35'], NOW)).out).toContain(
      '1 known, 1 gone.',
    );
  });

  test.each([
    ['that is not there', ['--baseline', join(file, '../nowhere.json')], '--update-baseline writes it'],
    ['that is none', ['--baseline', join(ESTATE, 'expectations.yaml')], 'is no baseline'],
    ['without a name', ['--update-baseline'], 'name a file'],
  ])('%s is a usage error', async (_, args, message) => {
    const { code, err } = await check([ESTATE, ...args], NOW);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
  });
});
