/** `chandler check --fix`: what it writes, what it leaves, and that it never guesses. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { aNodeClass } from '../readiness/examples/example.ts';
import { PROVISIONERS } from '../readiness/provisioners.ts';
import { check, Folders } from './verb.ts';

const folders = new Folders();
afterAll(() => folders.remove());

/** The file after `--fix --write`. */
async function fixed(name: string, files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const path = folders.written(name, files);
  const outcome = await check([path, '--fix', '--write', ...args]);
  return { ...outcome, text: (file: string) => readFileSync(join(path, file), 'utf8'), path };
}

const TOKENS = '  metadataOptions:\n    httpTokens: optional';
const CLUSTER = 'resource "aws_eks_cluster" "a" {\n  name = "shop"\n}\n';
const VALUES = 'settings:\n  clusterName: shop\n  clusterEndpoint: REPLACE_ME # from EKS\n';

const aState = (...resources: readonly object[]) =>
  JSON.stringify({
    format_version: '1.0',
    terraform_version: '1.9.0',
    values: { root_module: { resources } },
  });
const aResource = (type: string, name: string, values: object) => ({
  address: `${type}.${name}`,
  mode: 'managed',
  type,
  name,
  values,
});

describe('the estate', () => {
  test('--fix shows a diff and changes nothing', async () => {
    const path = folders.estate('shown');
    const file = join(path, 'karpenter/node-class.yaml');
    const before = readFileSync(file, 'utf8');
    const { code, out } = await check([path, '--fix']);
    expect(code).toBe(1);
    expect(out).toContain('\n-    httpTokens: optional\n+    httpTokens: required\n');
    expect(out).toContain('\n       ebs:\n+        encrypted: true\n         volumeSize: 100Gi\n');
    expect(out).toContain('S-16 Application/karpenter: no input tells the value of clusterEndpoint.');
    expect(out).toContain('S-32 EC2NodeClass/default: it needs a decision.');
    expect(out).toContain('9 findings fixed in 3 files');
    expect(out).toContain('Nothing is written');
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  test('after --fix --write and the missing values it is 100 % ready', async () => {
    const path = folders.estate('written');
    const before = readFileSync(join(path, 'karpenter/node-class.yaml'), 'utf8');
    expect((await check([path, '--fix', '--write'])).code).toBe(1);
    expect(readFileSync(join(path, 'karpenter/node-class.yaml.bak'), 'utf8')).toBe(before);
    mkdirSync(join(path, 'gitops/prod/karpenter'));
    for (const [from, to, changes] of MISSING) {
      const text = readFileSync(join(path, from), 'utf8');
      renameSync(join(path, from), join(path, to));
      writeFileSync(
        join(path, to),
        changes.reduce((current, [old, value]) => current.replaceAll(old, value), text),
      );
    }
    writeFileSync(join(path, 'gitops/prod/apps/provisioners.yaml'), PROVISIONERS);
    const { code, out } = await check([
      path,
      '--config',
      join(path, 'expectations.yaml'),
      '--strict',
      '--warn-as-error',
    ]);
    expect(out).toMatch(/^Readiness: 100 %\n/);
    expect(code).toBe(0);
    expect((await check([path, '--fix'])).out).toContain('Nothing can be fixed here.');
  });
});

describe('a file that is written', () => {
  test('leaves files of the user alone whose names end in .bak and .new, and each run has a backup', async () => {
    const text = aNodeClass(TOKENS);
    const files = { 'class.yaml': text, 'class.yaml.bak': 'mine', 'class.yaml.new': 'mine too' };
    const after = await fixed('own-backups', files);
    expect(after.out).toContain('Written.');
    expect(after.text('class.yaml')).toContain('httpTokens: required');
    expect(after.text('class.yaml.bak')).toBe('mine');
    expect(after.text('class.yaml.new')).toBe('mine too');
    expect(after.text('class.yaml.bak.1')).toBe(text);
    writeFileSync(join(after.path, 'class.yaml'), `${text}# again\n`);
    await check([after.path, '--fix', '--write']);
    expect(after.text('class.yaml.bak.1')).toBe(text);
    expect(after.text('class.yaml.bak.2')).toBe(`${text}# again\n`);
    expect(readdirSync(after.path)).toHaveLength(5);
  });

  test('keeps comments, order, quotes, line ends and its byte order mark', async () => {
    const lines = `${aNodeClass('  # tokens\n  metadataOptions:\n    httpTokens: "optional"  # old agents\n    httpEndpoint: enabled')}`;
    const text = `\ufeff${lines.replaceAll('\n', '\r\n')}`;
    const after = await fixed('kept', { 'class.yaml': text }, '--only', 'S-35');
    expect(after.text('class.yaml')).toBe(text.replace('"optional"', '"required"'));
    expect(after.text('class.yaml.bak')).toBe(text);
    expect(after.code).toBe(0);
  });

  test.each([
    [
      'a map in one line',
      '  metadataOptions: {httpEndpoint: enabled, httpTokens: optional}',
      'httpTokens: required}',
    ],
    ['quotes', "  metadataOptions:\n    'httpTokens': 'optional'", "'httpTokens': 'required'"],
  ])('%s', async (name, spec, expected) => {
    const after = await fixed(name, { 'class.yaml': aNodeClass(spec) }, '--only', 'S-35');
    expect(after.text('class.yaml')).toContain(expected);
  });

  test('an anchor is not edited', async () => {
    const text = aNodeClass('  metadataOptions:\n    httpTokens: &tokens optional');
    const after = await fixed('anchor', { 'class.yaml': text }, '--only', 'S-35');
    expect(after.out).toContain('not in a form that can be edited');
    expect(after.text('class.yaml')).toBe(text);
    expect(existsSync(join(after.path, 'class.yaml.bak'))).toBe(false);
  });

  test('a suppressed finding is left alone', async () => {
    const text = aNodeClass(`${TOKENS} # readiness/ignore S-35 until 2027-01-31: agents`);
    const after = await fixed('suppressed', { 'class.yaml': text }, '--only', 'S-35');
    expect(after.text('class.yaml')).toBe(text);
  });
});

describe('a value', () => {
  test('that the state proves is written', async () => {
    const state = aState(
      aResource('aws_eks_cluster', 'a', {
        name: 'shop',
        endpoint: 'https://AB.gr7.us-east-1.eks.amazonaws.com',
      }),
      aResource('aws_sqs_queue', 'a', { name: 'Karpenter-shop' }),
    );
    const after = await fixed(
      'proved',
      { 'main.tf': CLUSTER, 'values.yaml': VALUES, 'state.json': state },
      '--only',
      'S-16',
    );
    expect(after.text('values.yaml')).toContain(
      '  clusterEndpoint: https://AB.gr7.us-east-1.eks.amazonaws.com # from EKS\n',
    );
    expect(after.code).toBe(0);
  });

  test.each([
    ['none', []],
    ['two', ['https://AB.gr7.us-east-1.eks.amazonaws.com', 'https://CD.gr7.us-east-1.eks.amazonaws.com']],
  ])('of which there are %s is not guessed', async (name, endpoints) => {
    const state = aState(
      ...endpoints.map((endpoint, index) =>
        aResource('aws_eks_cluster', `c${index}`, { name: 'shop', endpoint }),
      ),
    );
    const files = {
      'main.tf': CLUSTER,
      'values.yaml': VALUES,
      ...(endpoints.length === 0 ? {} : { 'state.json': state }),
    };
    const after = await fixed(`guess ${name}`, files, '--only', 'S-16');
    expect(after.out).toContain('no input tells the value of clusterEndpoint');
    expect(after.text('values.yaml')).toBe(VALUES);
  });

  test('a cluster name is that of Terraform', async () => {
    const values = VALUES.replace('shop', 'shopp');
    const after = await fixed('name', { 'main.tf': CLUSTER, 'values.yaml': values }, '--only', 'S-01');
    expect(after.text('values.yaml')).toBe(VALUES);
  });

  test('a role that is an ARN becomes its name', async () => {
    const text = aNodeClass('  role: arn:aws:iam::111122223333:role/path/node');
    const after = await fixed('arn', { 'class.yaml': text }, '--only', 'K-35');
    expect(after.text('class.yaml')).toContain('  role: node\n');
  });

  test('--redact hides account ids in the diff, and writes the real ones', async () => {
    const text = aNodeClass(
      '  role: arn:aws:iam::111122223333:role/node\n  tags:\n    owner: "111122223333"',
    );
    const after = await fixed('redacted', { 'class.yaml': text }, '--only', 'K-35', '--redact');
    expect(after.out).not.toContain('111122223333');
    expect(after.text('class.yaml')).toContain('owner: "111122223333"');
  });

  test('of Terraform is changed where a literal is replaced', async () => {
    const release = `resource "helm_release" "karpenter" {
  name       = "karpenter"
  chart      = "karpenter"
  repository = "oci://public.ecr.aws/karpenter"
  set {
    name  = "settings.clusterName"
    value = "shopp" # the cluster
  }
}
`;
    const after = await fixed('hcl', { 'main.tf': CLUSTER, 'helm.tf': release }, '--only', 'S-01');
    expect(after.text('helm.tf')).toBe(release.replace('"shopp"', '"shop"'));
  });
});

const ARN = 'arn:aws:iam::111122223333:instance-profile/old-profile';
const QUEUE = 'arn:aws:sqs:us-east-1:111122223333:Karpenter-shop';
const PROFILE = 'resource "aws_iam_instance_profile" "a" {\n  name = "KarpenterNode-shop"\n}\n';

test.each([
  [
    'one key',
    aNodeClass(`  instanceProfile: ${ARN}`),
    [ARN, 'old-profile'],
    ['old-profile', 'KarpenterNode-shop'],
  ],
  [
    'two keys',
    `settings: {clusterName: wrong, interruptionQueue: "${QUEUE}"}\n`,
    ['wrong', 'shop'],
    [QUEUE, 'Karpenter-shop'],
  ],
] as const)(
  'two fixes of one line (%s): the second is left for the next run',
  async (name, text, first, second) => {
    const only = ['--only', 'S-01,S-02,K-09,K-35'];
    const after = await fixed(`line ${name}`, { 'main.tf': `${CLUSTER}${PROFILE}`, 'a.yaml': text }, ...only);
    const once = text.replace(first[0], first[1]);
    expect(after.text('a.yaml')).toBe(once);
    expect(after.out).toContain(': another fix changes the same line.');
    expect(after.out).toContain('1 findings fixed in 1 files, 1 left');
    const { code } = await check([after.path, '--fix', '--write', ...only]);
    expect(after.text('a.yaml')).toBe(once.replace(second[0], second[1]));
    expect(code).toBe(0);
  },
);

test('a change after which a file could not be read is not written', async () => {
  const values = VALUES.replace('shop', "'shopp'");
  const files = { 'main.tf': CLUSTER.replace('shop', "sh'op"), 'values.yaml': values };
  const after = await fixed('broken', files, '--only', 'S-01');
  expect(after.text('values.yaml')).toBe(values);
  expect(existsSync(join(after.path, 'values.yaml.bak'))).toBe(false);
  expect(after.out).toMatch(/The changes would cause:\n {2}\S+values\.yaml:2: invalid YAML: /);
  expect(after.out).toContain('0 findings fixed');
  expect(after.out).toContain('Nothing is written.');
  expect(after.code).toBe(1);
});

test('--write without --fix is a usage error', async () => {
  expect(await check(['.', '--write'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('is for --fix'),
  });
});

// ---------------------------------------------------------------------------------------------------------------

type Changes = readonly (readonly [string | RegExp, string])[];

/** What only the owner of the estate knows: the file, where it belongs, and the values. */
const MISSING: readonly (readonly [string, string, Changes])[] = [
  [
    'gitops/prod/apps/apps-karpenter.yaml',
    'gitops/prod/apps/apps-karpenter.yaml',
    [
      [
        'clusterEndpoint: REPLACE_WITH_YOUR_EKS_CLUSTER_ENDPOINT',
        'clusterEndpoint: https://0F3A.gr7.us-east-1.eks.amazonaws.com\n          interruptionQueue: Karpenter-harbor-prod',
      ],
    ],
  ],
  [
    'karpenter/node-class.yaml',
    'gitops/prod/karpenter/node-class.yaml',
    [
      ['  amiFamily: AL2\n', ''],
      [/- id: ami-\w+/g, '- alias: al2023@v20260801'],
      ['encrypted: true', 'encrypted: true\n        kmsKeyID: arn:aws:kms:us-east-1:418295670013:key/7d1e'],
    ],
  ],
  [
    'karpenter/node-pool.yaml',
    'gitops/prod/karpenter/node-pool.yaml',
    [['expireAfter: 15m', 'expireAfter: 168h']],
  ],
  [
    'infra/environments/production/main.tf',
    'infra/environments/production/main.tf',
    [['    "karpenter.sh/discovery" = local.cluster_name\n', '']],
  ],
];
