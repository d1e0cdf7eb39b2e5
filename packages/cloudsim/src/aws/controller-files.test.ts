import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestAws, testAws } from './aws.fixture.ts';
import {
  controllerEnvironment,
  filesIn,
  removeControllerFiles,
  writeControllerFiles,
} from './controller-files.ts';
import { readFaultFlags } from './faults/fault-flags.ts';

let aws: TestAws;
let folder: string;

beforeEach(async () => {
  aws = await testAws();
  folder = await mkdtemp(join(tmpdir(), 'chandler-aws-'));
});

afterEach(async () => {
  await aws.close();
  await rm(folder, { recursive: true, force: true });
});

test('a controller finds endpoint, cluster and queue in its environment, and the secret only in a file of its own', async () => {
  const environment = {
    server: aws.server,
    serverUrl: 'https://127.0.0.1:6443',
    kubeconfig: '/tmp/kube config',
  };
  const files = await writeControllerFiles(folder, environment);
  const variables = controllerEnvironment(environment, files);
  expect(variables).toMatchObject({
    CLUSTER_NAME: 'playground',
    INTERRUPTION_QUEUE: 'playground',
    AWS_REGION: 'us-west-2',
    AWS_ENDPOINT_URL: aws.server.url,
  });
  const { secretAccessKey } = aws.server.credentials;
  const text = await readFile(files.envFile, 'utf8');
  expect(text).toContain("KUBECONFIG='/tmp/kube config'");
  expect(text).not.toContain(secretAccessKey);
  expect(await readFile(files.credentialsFile, 'utf8')).toContain(secretAccessKey);
  for (const file of Object.values(files)) expect((await stat(file)).mode & 0o777).toBe(0o600);
  await removeControllerFiles(folder);
  await expect(stat(filesIn(folder).envFile)).rejects.toThrow('ENOENT');
});

test('faults of a command line are joined again where a comma split them', () => {
  const { faults, problems } = readFaultFlags([
    'capacity@zone=us-west-2a',
    'rate=0.5',
    'throttle',
    'unicorn',
  ]);
  expect(faults).toEqual([{ name: 'capacity', zone: 'us-west-2a', rate: 0.5 }, { name: 'throttle' }]);
  expect(problems).toHaveLength(1);
});
