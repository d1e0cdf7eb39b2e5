/** `why` about an instance of the simulated AWS: it is launched, boots as it can, and then AWS is asked over the wire. */
import { type AwsServer, type RunningAws, startAws } from '@chandler/cloudsim/aws';
import { fleetParams, TestAws, templateParams } from '@chandler/cloudsim/aws/testing';
import { fetchTransport } from '@chandler/kube';
import { TinyServer, virtualWorld } from '@chandler/kube/testing';
import { awsDiagnosis } from '../../packages/chandler/src/cloud/aws/diagnosis.ts';
import { awsCallsOf, awsReader } from '../../packages/chandler/src/cloud/aws/testing.ts';
import {
  dumpReader,
  type Explanation,
  encodeDump,
  explain,
  gather,
  makeDump,
  openDump,
} from '../../packages/chandler/src/diagnose/index.ts';

import { awsClaim, awsClass, awsController } from './aws-objects.ts';
import { dumpWith } from './corpus.ts';
import { merged } from './objects.ts';

export class LiveAws {
  readonly #running: RunningAws;
  readonly aws: TestAws;

  constructor(running: RunningAws, aws: TestAws) {
    this.#running = running;
    this.aws = aws;
  }

  get server(): AwsServer {
    return this.#running.server;
  }

  /** With a profile for the node role, as the controller makes it. */
  static async start(faults: readonly string[] = []): Promise<LiveAws> {
    const world = virtualWorld();
    const cluster = new TinyServer();
    const nodeHost = {
      startKubelet: async () => undefined,
      stopKubelet: () => undefined,
      resumeKubelet: async () => undefined,
      removeNode: async () => undefined,
    };
    const transport = fetchTransport(cluster.fetch);
    const environment = { world, nodeHost, kubernetesVersion: '1.36.3', transport, apiServer: undefined };
    const running = await startAws(environment, { faults });
    const live = new LiveAws(running, new TestAws(running.server, world));
    const InstanceProfileName = 'nodes';
    await live.aws.query('iam', 'CreateInstanceProfile', { InstanceProfileName });
    const RoleName = running.server.settings.nodeRoleName;
    await live.aws.query('iam', 'AddRoleToInstanceProfile', { InstanceProfileName, RoleName });
    // EC2 knows a new profile after a moment.
    await world.clock.advance(1000);
    return live;
  }

  /** One instance; some minutes pass, so that it should have joined. */
  async launch(
    change: (config: string) => string = (config) => config,
    data: Readonly<Record<string, unknown>> = {},
  ): Promise<string> {
    const UserData = Buffer.from(change(this.#nodeConfig())).toString('base64');
    const template = templateParams(this.server, {
      UserData,
      IamInstanceProfile: { Name: 'nodes' },
      ...data,
    });
    await this.aws.ec2('CreateLaunchTemplate', template);
    await this.aws.ec2('CreateFleet', fleetParams(this.server));
    await this.aws.world.clock.advance(10 * 60_000);
    return this.server.instances.list()[0]!.id;
  }

  /** What `why` says about the NodeClaim of the instance, from the cluster and from AWS. */
  async ask(instance: string, env: Readonly<Record<string, string>> = {}): Promise<Explanation> {
    const cloud = this.#cloud();
    const reader = dumpReader(openDump(encodeDump(dumpWith(this.#objects(instance, env), {}, []), false)));
    const gathered = await this.#inTime(
      gather({ kind: 'nodeclaim', name: 'default-x7k2p' }, { reader, cloud }),
    );
    if (gathered.state !== 'gathered') throw new Error(gathered.message);
    return explain(gathered.subject, gathered.evidence, cloud);
  }

  /** What it says later from a dump that was made now, without AWS. */
  async askDump(instance: string): Promise<Explanation> {
    const reader = dumpReader(openDump(encodeDump(dumpWith(this.#objects(instance, {}), {}, []), false)));
    const live = { ...reader, from: 'kubernetes' as const };
    const dump = await this.#inTime(makeDump({ reader: live, cloud: this.#cloud(), madeBy: 'test' }));
    const cloud = awsDiagnosis();
    const kept = dumpReader(openDump(encodeDump(dump, false)));
    const gathered = await gather({ kind: 'nodeclaim', name: 'default-x7k2p' }, { reader: kept, cloud });
    if (gathered.state !== 'gathered') throw new Error(gathered.message);
    return explain(gathered.subject, gathered.evidence, cloud);
  }

  stop(): Promise<void> {
    return this.#running.stop();
  }

  #cloud() {
    return awsDiagnosis(awsReader(awsCallsOf(this.aws), this.server.settings.region));
  }

  /** Calls wait for answers in virtual time. */
  async #inTime<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const ended = work.finally(() => {
      isDone = true;
    });
    for (let second = 0; second < 300 && !isDone; second += 1) await this.aws.world.clock.advance(1000);
    return ended;
  }

  #objects(instance: string, env: Readonly<Record<string, string>>) {
    const claim = awsClaim({ upTo: 'launched', age: '8m' });
    const providerID = `aws:///us-west-2a/${instance}`;
    const { name, endpoint } = this.server.cluster;
    return [
      ...awsController({
        env: { CLUSTER_NAME: name, CLUSTER_ENDPOINT: endpoint, AWS_REGION: 'us-west-2', ...env },
      }),
      awsClass({ spec: { role: this.server.settings.nodeRoleName } }),
      merged(claim, { status: { providerID } }),
    ];
  }

  #nodeConfig(): string {
    const { name, endpoint } = this.server.cluster;
    return `apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster: {name: ${name}, apiServerEndpoint: "${endpoint}", certificateAuthority: Q0E=, cidr: 172.20.0.0/16}
  kubelet:
    config: {maxPods: 58, registerWithTaints: [{key: karpenter.sh/unregistered, effect: NoExecute}]}
    flags: ["--node-labels=karpenter.sh/nodepool=default"]
`;
  }
}
