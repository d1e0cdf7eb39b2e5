/**
 * The story of EKS on a control plane of real programs. EC2, IAM and the other services of AWS are the playground's; they enforce the
 * IAM policies of docs/iam.md, and their instances join that cluster. The controller is a process of its own under the account
 * of deploy/rbac-aws.yaml.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import {
  CONTROLLER_ROLE,
  controllerEnvironment,
  type PolicyDocument,
  type RunningAws,
  startAws,
  writeControllerFiles,
} from '@chandler/cloudsim/aws';
import { DAEMON_SETS } from '@chandler/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownPolicy } from '../../packages/chandler/src/cloud/aws/testing.ts';
import { PLACE, POLICY, withoutActionIn } from '../aws/controller-policy.ts';
import { AWS_STORY, type AwsGround } from '../e2e/aws-story.ts';
import { type ControllerProcess, startController } from '../e2e/controller-process.ts';
import { play } from '../e2e/phases.ts';
import { roleObjects } from '../e2e/roles.ts';
import { LEAVES_NOTHING, MISSING_ACTIONS } from './missing-actions.ts';
import { ABSENT, PROCESS_VARIABLES, type RealCluster, startRealCluster } from './real-cluster.ts';

let cluster: RealCluster;
let aws: RunningAws;
let controller: ControllerProcess;
let ground: AwsGround;

const STORY_TIMEOUT_MS = 900_000;

describe.skipIf(ABSENT.length > 0)('EKS on a real control plane', () => {
  beforeAll(async () => {
    cluster = await startRealCluster();
    aws = await startAws(cluster.environment, { server: { policies: policiesWith(POLICY) } });
    for (const [resource, object] of roleObjects(undefined, [], 'rbac-aws.yaml'))
      await cluster.admin.create(resource, object);
    await cluster.ground.apply(DAEMON_SETS, VPC_CNI);
    ground = { ...cluster.ground, aws: aws.server };
    controller = startController(await environment(), ['--cloud=aws', '--cni-prefix-delegation=detect']);
    await controller.said('became leader');
  });

  afterAll(async () => {
    await controller?.signal('SIGTERM');
    await aws?.stop();
    await cluster?.stop();
  });

  test(
    'pending pods run on spot instances, an interrupted one is replaced within two minutes, and nothing is left in EC2',
    async () => {
      const records = await play(ground, AWS_STORY);
      expect(records.map(({ name }) => name)).toEqual(AWS_STORY.map(({ name }) => name));
      expect(deniedCalls()).toEqual([]);
    },
    STORY_TIMEOUT_MS,
  );

  test.each(MISSING_ACTIONS.map((row) => [row.action, row.sid, row] as const))(
    'without %s of %s, `why` names both',
    async (action, sid, row) => {
      await play(ground, row.before);
      attach(withoutActionIn(POLICY, sid, action));
      const subject = await row.act(ground);
      let text = '';
      await play(ground, [
        {
          name: `why ${subject} names ${action} and ${sid}`,
          limitMs: 150_000,
          async waitsFor() {
            text = await why(subject);
            return text.includes(action) && text.includes(sid) ? undefined : text;
          },
        },
      ]);
      attach(POLICY);
      await play(ground, [LEAVES_NOTHING]);
    },
    STORY_TIMEOUT_MS,
  );

  test('it stops with code 0', async () => {
    expect(await controller.signal('SIGTERM')).toBe(0);
    expect(controller.errors).toEqual([]);
  });

  test('no request of the controller was refused, by the audit log', () => {
    cluster.checkRequests();
  });
});

// ---------------------------------------------------------------------------------------------------

/** The CNI of EKS, which gives nodes whole prefixes of addresses. */
const VPC_CNI = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'aws-node', namespace: 'kube-system' },
  spec: {
    selector: { matchLabels: { 'k8s-app': 'aws-node' } },
    template: {
      metadata: { labels: { 'k8s-app': 'aws-node' } },
      spec: {
        tolerations: [{ operator: 'Exists' }],
        containers: [
          {
            name: 'aws-node',
            image: 'amazon-k8s-cni',
            env: [{ name: 'ENABLE_PREFIX_DELEGATION', value: 'true' }],
            resources: { requests: { cpu: '50m' } },
          },
        ],
      },
    },
  },
};

/** Those of docs/iam.md. */
function policiesWith(policy: PolicyDocument): readonly PolicyDocument[] {
  return [policy, ownPolicy(PLACE)];
}

function attach(policy: PolicyDocument): void {
  const { arn } = aws.server.account.roles.get(CONTROLLER_ROLE)!;
  aws.server.context.access.attach(arn, { policies: policiesWith(policy) });
}

function deniedCalls(): readonly string[] {
  const denied = /UnauthorizedOperation|AccessDenied/;
  return aws.server
    .calls()
    .flatMap(({ action, code = '' }) => (denied.test(code) ? [`${action}: ${code}`] : []));
}

/** Everything by files and variables, the account's token and the key of the controller's role the only ways in. */
async function environment(): Promise<Readonly<Record<string, string>>> {
  const { server } = aws;
  const around = { server, serverUrl: cluster.plane.url, kubeconfig: await cluster.writeKubeconfig() };
  const files = await writeControllerFiles(cluster.folder, around);
  return { ...controllerEnvironment(around, files), ...PROCESS_VARIABLES };
}

/** As an administrator of the cluster asks, who has no credentials of AWS. */
function why(subject: string): Promise<string> {
  const args = [MAIN, 'why', subject, '--kubeconfig', cluster.plane.kubeconfig, '--cloud=aws', '--aws=off'];
  const env = { PATH: process.env['PATH'] ?? '' };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (_, stdout, stderr) => resolve(`${stdout}${stderr}`));
  });
}

const MAIN = join(import.meta.dirname, '../../packages/chandler/src/cli/main.ts');
