import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { envNames, type OptionTable, printable } from '../../../settings/index.ts';
import { camelCase, renderOptionsDoc } from '../../../settings/testing.ts';
import { CA_PEM } from '../cluster/cluster.fixture.ts';
import { awsOptions } from './index.ts';
import { GOOD_ENV, resolveAws } from './options.fixture.ts';
import { AWS_CONTROLLER_OPTIONS, AWS_OPTIONS } from './options.ts';
import { AWS_UPSTREAM_OPTIONS } from './upstream-options.ts';

/** Flag, variable and default as Karpenter's AWS provider has them. */
const UPSTREAM: readonly [flag: string, env: string, value: unknown][] = [
  ['cluster-name', 'CLUSTER_NAME', ''],
  ['cluster-endpoint', 'CLUSTER_ENDPOINT', ''],
  ['cluster-ca-bundle', 'CLUSTER_CA_BUNDLE', ''],
  ['isolated-vpc', 'ISOLATED_VPC', false],
  ['eks-control-plane', 'EKS_CONTROL_PLANE', false],
  ['vm-memory-overhead-percent', 'VM_MEMORY_OVERHEAD_PERCENT', 0.075],
  ['interruption-queue', 'INTERRUPTION_QUEUE', ''],
  ['reserved-enis', 'RESERVED_ENIS', 0],
  ['disable-dry-run', 'DISABLE_DRY_RUN', false],
  ['enable-zonal-shift', 'ENABLE_ZONAL_SHIFT', false],
  ['ami-refresh-interval', 'AMI_REFRESH_INTERVAL', 60_000],
  ['subnet-refresh-interval', 'SUBNET_REFRESH_INTERVAL', 60_000],
  ['aws-feature-gates', 'AWS_FEATURE_GATES', { NodeClassCEL: false }],
];

const withEnv = (env: Readonly<Record<string, string>>) => resolveAws({ env: { ...GOOD_ENV, ...env } });

describe('names and defaults', () => {
  test('are those of upstream, all of them', () => {
    const table: OptionTable = AWS_UPSTREAM_OPTIONS;
    const rows = Object.values(table).map((row) => [row.flag, row.env, row.default]);
    expect(rows.sort()).toEqual([...UPSTREAM].sort());
  });

  test('the environment of a pod of Karpenter is enough', () => {
    const { problems, warnings } = withEnv({
      CLUSTER_ENDPOINT: 'https://0123.gr7.us-west-2.eks.amazonaws.com',
      INTERRUPTION_QUEUE: 'my-cluster',
      AWS_ROLE_ARN: 'arn:aws:iam::111122223333:role/karpenter',
      AWS_WEB_IDENTITY_TOKEN_FILE: '/var/run/secrets/eks.amazonaws.com/serviceaccount/token',
      AWS_DEFAULT_REGION: 'us-west-2',
      AWS_STS_REGIONAL_ENDPOINTS: 'regional',
      FEATURE_GATES: 'ReservedCapacity=true,SpotToSpotConsolidation=false',
    });
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
  });

  test('every row is named by its flag, has a group, a variable and, unless secret, a key in the ConfigMap', () => {
    const all: OptionTable = AWS_CONTROLLER_OPTIONS;
    for (const [name, row] of Object.entries(all)) {
      expect(name).toBe(camelCase(row.flag));
      expect(row.group, name).toBeDefined();
      expect(envNames(row), name).not.toEqual([]);
      const prefix = name in AWS_OPTIONS ? 'aws.' : '';
      const hidden = row.secret === true || row.beforeSettings === true;
      expect(row.settingsKey, name).toBe(hidden ? undefined : `${prefix}${name}`);
    }
    const variables = Object.values(all).flatMap(envNames);
    expect(new Set(variables).size).toBe(variables.length);
  });

  test('own groups are groups of the table, and docs/options-aws.md names every flag', () => {
    const groups = new Set(Object.values(AWS_OPTIONS as OptionTable).map(({ group }) => group));
    for (const group of awsOptions.ownGroups) expect(groups).toContain(group);
    const page = readFileSync(join(import.meta.dirname, '../../../../../../docs/options-aws.md'), 'utf8');
    expect(page).toBe(
      renderOptionsDoc({
        table: AWS_CONTROLLER_OPTIONS,
        ownGroups: awsOptions.ownGroups,
        cloudTitle: awsOptions.title,
        others: [{ cloudTitle: 'Azure', page: 'options.md' }],
      }),
    );
    for (const row of Object.values(AWS_CONTROLLER_OPTIONS)) expect(page).toContain(`\`--${row.flag}\``);
    expect(page, 'the example of a secret is one of this cloud').toContain('(`AWS_SECRET_ACCESS_KEY_FILE`,');
  });
});

test('an access key and a role for the service account are two identities', () => {
  const { problems } = withEnv({
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_ROLE_ARN: 'arn:aws:iam::111122223333:role/karpenter',
    AWS_WEB_IDENTITY_TOKEN_FILE: '/token',
  });
  expect(problems).toMatchObject([
    {
      where: 'AWS_ACCESS_KEY_ID',
      message: expect.stringContaining('are two identities; set only one of them'),
    },
  ]);
});

describe('values that are refused, each at the variable that holds it', () => {
  test.each([
    ['CLUSTER_NAME', '', /required/],
    ['CLUSTER_NAME', 'my cluster', /the name of an EKS cluster/],
    ['CLUSTER_ENDPOINT', 'REPLACE_WITH_YOUR_EKS_CLUSTER_ENDPOINT', /an absolute URL with a host/],
    ['CLUSTER_ENDPOINT', '/relative', /an absolute URL/],
    ['CLUSTER_CA_BUNDLE', 'not base64!', /base64 of certificates/],
    ['VM_MEMORY_OVERHEAD_PERCENT', '-0.1', /0/],
    ['RESERVED_ENIS', '-1', /0/],
    ['AMI_REFRESH_INTERVAL', '59s', /1m/],
    ['SUBNET_REFRESH_INTERVAL', '30s', /1m/],
    ['INTERRUPTION_QUEUE', 'arn:aws:sqs:us-west-2:111122223333:my-queue', /not its ARN or URL: my-queue/],
    [
      'INTERRUPTION_QUEUE',
      'https://sqs.us-west-2.amazonaws.com/111122223333/my-queue',
      /not its ARN or URL: my-queue/,
    ],
    ['AWS_REGION', 'us-west-2a', /a region such as us-west-2/],
    ['AWS_ENDPOINT_URL', 'localhost:4566', /an absolute URL/],
    ['AWS_ROLE_ARN', 'karpenter', /the ARN of a role/],
    ['SERVICE_CIDR', '10.0.0.0/33', /a range of addresses/],
    ['DNS_SERVICE_IP', '10.0.0', /an IP address/],
    ['KUBERNETES_VERSION', 'latest', /a Kubernetes version/],
    ['REBALANCE_RECOMMENDATIONS', 'drain', /event/],
    ['CNI_PREFIX_DELEGATION', 'true', /detect/],
    ['AWS_CALL_RATES', 'ec2:NoSuchAction=1/2', /not "ec2:NoSuchAction"/],
    ['AWS_CALL_RATES', 'ec2:CreateFleet=fast', /PER_SECOND\/BURST/],
    ['AWS_CALL_RATES', 'ec2:CreateFleet=0/5', /PER_SECOND\/BURST/],
    ['AWS_CALL_TIMEOUT', '10s', /25s/],
    ['AWS_RATE_PERCENT', '101', /100/],
  ])('%s=%s', (name, value, expected) => {
    const { problems } = withEnv({ [name]: value });
    const found = problems.filter(({ where }) => where === name);
    expect(found, JSON.stringify(problems)).toHaveLength(1);
    expect(found[0]!.message).toMatch(expected);
  });

  test.each([
    [{ AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE' }, /both be set, or neither/],
    [{ AWS_SESSION_TOKEN: 'token' }, /aws-access-key-id/],
    [{ AWS_WEB_IDENTITY_TOKEN_FILE: '/token' }, /both be set, or neither/],
    [{ AWS_ENDPOINT_URL: 'http://127.0.0.1:4566', AWS_USE_FIPS_ENDPOINT: 'true' }, /cannot be used together/],
  ])('%o', (env, expected) => {
    expect(
      withEnv(env)
        .problems.map(({ message }) => message)
        .join(),
    ).toMatch(expected);
  });
});

test.each([
  ['line breaks, as base64 writes them', (text: string) => text.replace(/(.{76})/g, '$1\n')],
  ['a line break at its end, as a file has it', (text: string) => `${text}\n`],
])('a CA bundle with %s is read without them', (_, written) => {
  const bundle = Buffer.from(CA_PEM).toString('base64');
  const { values, problems } = withEnv({ CLUSTER_CA_BUNDLE: written(bundle) });
  expect(problems).toEqual([]);
  expect(values.clusterCaBundle.value).toBe(bundle);
});

test('rates of the controller are read', () => {
  const { values, problems } = withEnv({
    AWS_CALL_RATES: 'ec2:CreateFleet=10/100,ec2:TerminateInstances/instances=40/2000,ssm:reads=0.5/10',
  });
  expect(problems).toEqual([]);
  expect(Object.keys(values.awsCallRates.value)).toHaveLength(3);
});

test('expressions in kubelet settings have a gate', () => {
  const { problems, warnings, values } = withEnv({ AWS_FEATURE_GATES: 'NodeClassCEL=true' });
  expect([problems, warnings]).toEqual([[], []]);
  expect(values.awsFeatureGates.value).toEqual({ NodeClassCEL: true });
});

test('secrets are never printed', () => {
  const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
  const { values } = withEnv({
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_SESSION_TOKEN: secret,
  });
  expect(JSON.stringify(printable(AWS_CONTROLLER_OPTIONS, values))).not.toContain(secret);
});
