/** `chandler configure eks`: roles, queue, rules, access entry and tags of the controller in AWS. */
import type * as Eks from '../../configure/eks/index.ts';
import { defineVerb, Failure, UsageError } from '../verb.ts';
import { connectAws } from './aws-connection.ts';
import { CONFIGURE_OPTIONS, required } from './options.ts';
import {
  type ConfigureCall,
  journalOf,
  refuseContradictions,
  runConfigure,
  runUndo,
  withPlainErrors,
} from './run-configure.ts';

const OPTIONS = {
  name: {
    flag: 'name',
    short: 'n',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'NAME',
    doc: 'Name of the EKS cluster',
  },
  region: {
    flag: 'region',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'REGION',
    doc: 'Region of the EKS cluster. Default: AWS_REGION, otherwise that of the profile',
  },
  profile: {
    flag: 'profile',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'NAME',
    doc: 'Profile of the AWS command line. Default: AWS_PROFILE',
  },
  identity: {
    flag: 'identity',
    type: 'string',
    default: 'pod-identity',
    choices: ['pod-identity', 'irsa'],
    doc: 'How the controller signs in: pod-identity with an association of EKS Pod Identity, irsa with the OIDC issuer of the cluster',
  },
  roleName: {
    flag: 'role-name',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'NAME',
    doc: 'Name of the role of the controller. Default: chandler-CLUSTER',
  },
  nodeRoleName: {
    flag: 'node-role-name',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'NAME',
    doc: 'Name of the role of nodes. Default: KarpenterNodeRole-CLUSTER',
  },
  queueName: {
    flag: 'queue-name',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'NAME',
    doc: 'Name of the interruption queue. Default: chandler-CLUSTER',
  },
  subnetIds: {
    flag: 'subnet-ids',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'ID,ID',
    doc: 'Subnets of new nodes, separated by commas. Default: those that have the tag of the cluster already, otherwise the subnets of the cluster, without public ones',
  },
  securityGroupId: {
    flag: 'security-group-id',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'ID',
    doc: 'Security group of new nodes. Default: those that have the tag of the cluster already, otherwise that of the cluster',
  },
  ...CONFIGURE_OPTIONS,
} as const;

export const eks = defineVerb({
  name: 'eks',
  summary: 'Set up the roles, the interruption queue and the tags of the controller for an EKS cluster',
  description:
    'Reads the cluster and prints what the controller needs in AWS: a role with least privilege for the controller, a role for nodes with\n' +
    'its access entry, a Pod Identity association or an OIDC provider, the interruption queue with its EventBridge rules, and the tags by\n' +
    'which node classes find subnets and the security group; what exists, what is missing, and why each is needed. It changes nothing\n' +
    'without --apply.\n' +
    '--write writes values.yaml for the chart, Terraform and a script for the AWS CLI. --apply creates what is missing, one resource after\n' +
    'the other, and records it in a journal; run it again after an interruption. --undo removes what the journal names, whatever the\n' +
    'other options are; the cluster need not exist any more.\n' +
    'Uses the credentials that the AWS SDKs find.\n' +
    'Exit codes: 0 planned or done, 1 failed, or --undo left something, 2 usage error, 130 interrupted.',
  positionals: '',
  examples: [
    { command: 'chandler configure eks -n shop --region eu-west-1', does: 'show what is missing' },
    {
      command: 'chandler configure eks -n shop --apply --write out',
      does: 'create it after confirmation, and write the values of the chart',
    },
    {
      command: 'chandler configure eks -n shop --identity irsa',
      does: 'with IAM roles for service accounts',
    },
    { command: 'chandler configure eks -n shop -o json', does: 'the plan for a program' },
    { command: 'chandler configure eks -n shop --undo', does: 'remove what was created' },
  ],
  options: OPTIONS,
  whenOutputCloses: ({ apply, undo }) => (apply.value || undo.value ? 'finish' : 'stop'),
  async run(call) {
    const { options, interrupted: signal } = call;
    refuseContradictions(options, call.positionals);
    refuseNames(options);
    const clusterName = required(options.name.value, '--name');
    const identity = options.identity.value as Eks.IdentityChoice;
    const subnetIds = options.subnetIds.value?.split(',').map((id) => id.trim());
    const connection = await connectAws({
      world: await call.world(),
      env: call.env,
      region: options.region.value,
      profile: options.profile.value,
      where: 'AWS',
    });
    const { callersAccount, eksClusterArn, eksFiles, eksRecorded, eksResources, eksSetup, readEksCluster } =
      await import('../../configure/eks/index.ts');
    const configureCall = call as unknown as ConfigureCall;
    try {
      return await withPlainErrors(async () => {
        const { access, missing } = connection;
        if (access === undefined) throw new Failure(missing?.message ?? 'there is no way to AWS');
        const { calls, region } = access;
        const accountId = await callersAccount(calls, signal);
        const securityGroupId = options.securityGroupId.value;
        const target = { clusterName, accountId, region, identity, subnetIds, securityGroupId };
        const title = `EKS cluster ${clusterName}`;
        const recorded = (id: string) => eksRecorded(id, calls);
        // The cluster may be gone: the journal has all that is needed.
        if (options.undo.value)
          return await runUndo(configureCall, {
            kind: 'eks',
            title,
            clusterName,
            target: eksClusterArn(target),
            recorded,
          });
        const journal = await journalOf(configureCall, {
          kind: 'eks',
          clusterName,
          target: eksClusterArn(target),
        });
        const isTaggedByUs = (id: string) => journal.entry(`tag-${id}`) !== undefined;
        const cluster = await readEksCluster(calls, { ...target, isTaggedByUs }, signal);
        const setup = eksSetup(cluster, {
          identity,
          namespace: options.namespace.value,
          serviceAccount: options.serviceAccount.value,
          roleName: options.roleName.value,
          nodeRoleName: options.nodeRoleName.value,
          queueName: options.queueName.value,
        });
        // IAM does not distinguish names by case.
        if (setup.controllerRole.name.toLowerCase() === setup.nodeRole.name.toLowerCase())
          throw new UsageError([
            { where: '--node-role-name', message: 'must not be that of the controller' },
          ]);
        return await runConfigure(configureCall, {
          kind: 'eks',
          title,
          clusterName,
          target: cluster.arn,
          notes: cluster.notes,
          recorded,
          resources: eksResources(setup, calls),
          files: (facts) => eksFiles(setup, facts),
        });
      });
    } finally {
      await connection.close();
    }
  },
});

// ---------------------------------------------------------------------------------------------------------------

/** What AWS would refuse in the middle. @throws {UsageError} */
function refuseNames(
  options: {
    readonly [name in
      | 'region'
      | 'roleName'
      | 'nodeRoleName'
      | 'queueName'
      | 'subnetIds'
      | 'securityGroupId']: {
      readonly value: string | undefined;
    };
  },
): void {
  const { region, roleName, nodeRoleName, queueName, subnetIds, securityGroupId } = options;
  const rules = [
    ['--region', region, /^[a-z]{2,4}(-[a-z]+)+-\d+$/, 'a region such as us-west-2'],
    ['--role-name', roleName, /^[\w+=,.@-]{1,64}$/, 'a name of a role'],
    ['--node-role-name', nodeRoleName, /^[\w+=,.@-]{1,64}$/, 'a name of a role'],
    ['--queue-name', queueName, /^[\w-]{1,80}$/, 'a name of a queue'],
    ['--subnet-ids', subnetIds, /^subnet-\w+(, *subnet-\w+)*$/, 'a list of IDs of subnets'],
    ['--security-group-id', securityGroupId, /^sg-\w+$/, 'an ID of a security group'],
  ] as const;
  const problems = rules.flatMap(([where, { value }, pattern, what]) =>
    value === undefined || pattern.test(value)
      ? []
      : [{ where, message: `${JSON.stringify(value)} is not ${what}` }],
  );
  if (problems.length > 0) throw new UsageError(problems);
}
