/** Every format of a report, as its readers see it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { CHECKS } from '../../packages/chandler/src/readiness/index.ts';
import { aNodeClass } from '../readiness/examples/example.ts';
import { junitViolations, parseXml } from './junit-rules.ts';
import { SARIF_SCHEMA } from './sarif-schema.table.ts';
import { violations } from './schema.ts';
import { check, ESTATE, EXPECTATIONS, Folders } from './verb.ts';

const folders = new Folders();
afterAll(() => folders.remove());

const printed = async (output: string, ...args: readonly string[]) =>
  (await check([...(args.length === 0 ? [ESTATE, '--config', EXPECTATIONS] : args), '-o', output])).out;

/** A class whose values try to break out of every format. */
const hostile = folders.written('hostile', {
  'class.yaml': aNodeClass(
    '  amiSelectorTerms:\n    - id: "ami`</script>\\u0007&\'|%0A::error::@all"',
    '"=cmd()|<img src=x onerror=alert(1)>"',
  ),
  'broken.yaml': 'kind: NodePool\napiVersion: [\n',
});

describe('-o yaml', () => {
  test('says what -o json says', async () => {
    expect(parse(await printed('yaml'))).toEqual(JSON.parse(await printed('json')));
  });
});

describe('-o sarif', () => {
  test.each([
    ['the estate', []],
    ['hostile values', [hostile]],
  ])('is valid: %s', async (_, args) => {
    const log = JSON.parse(await printed('sarif', ...args));
    expect(violations(SARIF_SCHEMA, log)).toEqual([]);
    for (const { ruleId, ruleIndex, locations, partialFingerprints } of log.runs[0].results) {
      expect(log.runs[0].tool.driver.rules[ruleIndex].id).toBe(ruleId);
      expect(locations).toHaveLength(1);
      expect(partialFingerprints.primaryLocationLineHash).toMatch(/^[0-9a-f]{32}$/);
    }
  });

  test('has a rule for every check, and a result for everything that fails or warns', async () => {
    const { findings } = JSON.parse(await printed('json'));
    const [run] = JSON.parse(await printed('sarif')).runs;
    expect(run.tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(CHECKS.map(({ id }) => id));
    const open = findings.filter(({ status }: { status: string }) => status === 'fail' || status === 'warn');
    expect(run.results).toHaveLength(open.length);
    const imds = run.results.find(({ ruleId }: { ruleId: string }) => ruleId === 'S-35');
    expect(imds).toMatchObject({
      level: 'error',
      locations: [
        {
          physicalLocation: {
            artifactLocation: {
              uri: 'test/readiness/estate/karpenter/node-class.yaml',
              uriBaseId: '%SRCROOT%',
            },
            region: { startLine: 71 },
          },
        },
      ],
    });
  });

  test('a finding keeps its fingerprint when its line moves, and no two findings share one', async () => {
    const hashes = async (text: string) => {
      const path = folders.written('moved', { 'class.yaml': text });
      return JSON.parse(await printed('sarif', path)).runs[0].results.map(
        (each: { partialFingerprints: { primaryLocationLineHash: string } }) =>
          each.partialFingerprints.primaryLocationLineHash,
      );
    };
    const text = aNodeClass(
      '  metadataOptions:\n    httpTokens: optional\n  amiSelectorTerms:\n    - id: ami-1',
    );
    const before = await hashes(text);
    expect(new Set(before).size).toBe(before.length);
    expect(await hashes(`# a line\n\n${text}`)).toEqual(before);
  });
});

describe('-o junit', () => {
  test.each([
    ['the estate', []],
    ['hostile values', [hostile]],
  ])('keeps the rules of junit-10.xsd: %s', async (_, args) => {
    expect(junitViolations(parseXml(await printed('junit', ...args)))).toEqual([]);
  });

  test('a suite for each phase, whose counts are those of its cases', async () => {
    const { children } = parseXml(await printed('junit'));
    expect(children.map(({ attributes }) => attributes['name'])).toEqual([
      'Phase 1: Terraform',
      'Phase 2: Helm values',
      'Phase 3: Controller',
      'Phase 4: Node configuration',
      'Phase 5: Smoke test',
    ]);
    for (const { attributes, children: cases } of children) {
      const having = (name: string) =>
        String(cases.filter((each) => each.children.some((child) => child.name === name)).length);
      expect(attributes).toMatchObject({
        tests: String(cases.length),
        failures: having('failure'),
        errors: having('error'),
        skipped: having('skipped'),
      });
    }
    const warned = children[3]!.children.find(({ attributes }) => attributes['name']?.startsWith('S-32'));
    expect(warned!.children.map(({ name }) => name)).toEqual(['system-out']);
  });
});

describe('-o markdown', () => {
  test('has the sections of a readiness review', async () => {
    const text = await printed('markdown');
    expect(text.match(/^## .+$/gm)).toEqual([
      '## Configuration alignment',
      '## Deployment flow',
      '## Issues to fix before deployment',
      '## Checklist',
      '## Expected outcome',
      '## Summary',
    ]);
    expect(text).toContain('- ✅ The cluster name is the same everywhere (S-01): `harbor-prod`');
    expect(text).toContain('aws eks describe-cluster --name harbor-prod --region us-east-1');
    expect(text).toContain('- [ ] Instances require IMDSv2 (S-35)');
    expect(text).toContain('- [x] Subnets carry the discovery tag (S-07)');
    expect(text).toContain('4 NodePools: `default-fleet`, `on-demand-fleet`, `penumbra`, `spot-fleet`');
  });

  test('values cannot become markup or mentions', async () => {
    const text = await printed('markdown', hostile);
    const prose = text.replace(/(?<!\\)(`+) ?[^\n]*? ?(?<!`)\1(?!`)/g, '');
    expect(prose).not.toMatch(/(^|[^\\])<(img|\/script)|@all/);
    expect(prose).toContain('&#64;all');
  });
});

describe('-o html', () => {
  test('one page that loads and runs nothing', async () => {
    const page = await printed('html');
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(|\ssrc=/i);
    expect(page).toContain('Readiness of harbor-prod');
    expect(page).toContain('prefers-color-scheme: dark');
  });

  test('what was skipped or passed is folded, and hides nothing that failed', async () => {
    const page = await printed('html');
    const groups = [...page.matchAll(/<details class="folded (\w+)">\n<summary>(\w+): (\d+)<\/summary>/g)];
    expect(new Set(groups.map(([, status]) => status))).toEqual(new Set(['skip', 'pass']));
    const inGroups = page.split('<details class="folded').slice(1).join('').split('</section>');
    for (const group of inGroups.slice(0, -1))
      expect(group.split('<section>')[0]).not.toContain('class="fail"');
  });

  test('values cannot become markup', async () => {
    expect(await printed('html', hostile)).not.toMatch(/<img|<\/script/);
  });
});

describe('-o github', () => {
  test('annotates lines, worst first', async () => {
    const lines = (await printed('github')).split('\n');
    expect(lines[0]).toMatch(
      /^::error file=test\/readiness\/estate\/gitops\/prod\/apps\/apps-karpenter\.yaml,line=21,title=S-16 /,
    );
    expect(lines.filter((line) => line.startsWith('::notice'))).toHaveLength(1);
  });

  test('a value cannot become a command', async () => {
    const lines = (await printed('github', hostile)).trimEnd().split('\n');
    expect(lines.join('\n')).toContain('%250A::error');
    for (const line of lines) expect(line).toMatch(/^(::(error|warning|notice) [^:]*::|Readiness: |Next: )/);
  });
});

describe('-o csv', () => {
  test('a row for each finding, and no cell is a formula', async () => {
    const { findings } = JSON.parse(await printed('json', hostile));
    const rows = rowsOf(await printed('csv', hostile));
    expect(rows).toHaveLength(findings.length + 1);
    for (const cell of rows.flat()) expect(cell).not.toMatch(/^\s*[=+\-@|%]/);
    const formula = folders.written('formula', { 'class.yaml': aNodeClass('  role: a', '=1+1') });
    expect(await printed('csv', formula)).toContain('EC2NodeClass/=1+1');
  });
});

describe('-o prometheus', () => {
  test('the score, counts, and what is open', async () => {
    const text = await printed('prometheus');
    expect(text).toContain('\nchandler_check_score_percent 69\n');
    expect(text).toContain('\nchandler_check_checks{status="fail"} 5\n');
    for (const line of (await printed('prometheus', hostile)).trimEnd().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) |[a-z_]+(\{([a-z]+="([^"\\]|\\["\\n])*",?)+\})? \d+$)/);
  });
});

describe('-o json', () => {
  test('findings have the fields of the schema', async () => {
    const report = JSON.parse(await printed('json'));
    expect(Object.keys(report)).toEqual(
      expect.arrayContaining(['schemaVersion', 'score', 'nextAction', 'findings']),
    );
    for (const finding of report.findings) {
      expect(Object.keys(finding)).toEqual(
        expect.arrayContaining(['id', 'status', 'severity', 'phase', 'title', 'object', 'evidence', 'fix']),
      );
      for (const evidence of finding.evidence)
        expect(Object.keys(evidence)).toEqual(expect.arrayContaining(['source', 'value', 'at']));
    }
  });
});

describe('--output-file', () => {
  test('writes several files, each in the format of its ending or its prefix, and prints as before', async () => {
    const folder = folders.written('files', {});
    const names = ['a.sarif', 'a.json', 'a.yml', 'a.md', 'a.xml', 'a.html', 'a.csv', 'a.prom', 'a.txt'];
    const { out, code } = await check([
      ESTATE,
      ...names.flatMap((name) => ['--output-file', join(folder, name)]),
      '--output-file',
      `github=${join(folder, 'annotations')}`,
    ]);
    expect(code).toBe(1);
    expect(out).toMatch(/^Readiness: /);
    const starts = [
      '{\n  "$schema"',
      '{\n  "schemaVersion"',
      'schemaVersion',
      '# Karpenter',
      '<?xml',
      '<!doctype',
      'id,status',
      '# HELP',
      'Readiness',
    ];
    for (const [index, name] of names.entries())
      expect(readFileSync(join(folder, name), 'utf8').startsWith(starts[index]!)).toBe(true);
    expect(readFileSync(join(folder, 'annotations'), 'utf8')).toMatch(/^::error /);
  });

  test('a file whose ending tells no format is a usage error, and nothing is written', async () => {
    const path = join(folders.written('unknown-ending', {}), 'report');
    const { code, err } = await check([ESTATE, '--output-file', path]);
    expect({ code, written: existsSync(path) }).toEqual({ code: 2, written: false });
    expect(err).toContain('write FORMAT=FILE');
  });

  test('a file that cannot be written is a usage error that names it', async () => {
    const { code, err } = await check([ESTATE, '--output-file', join(ESTATE, 'nowhere', 'a.json')]);
    expect(code).toBe(2);
    expect(err).toContain('cannot be written');
  });
});

// ---------------------------------------------------------------------------------------------------------------

function rowsOf(text: string): readonly (readonly string[])[] {
  return [...text.matchAll(/((?:"(?:[^"]|"")*"|[^,"\r\n]*)(?:,(?:"(?:[^"]|"")*"|[^,"\r\n]*))*)\r\n/g)].map(
    ([, row]) =>
      [...row!.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g)].map(([, quoted, bare]) =>
        quoted === undefined ? bare! : quoted.replaceAll('""', '"'),
      ),
  );
}
