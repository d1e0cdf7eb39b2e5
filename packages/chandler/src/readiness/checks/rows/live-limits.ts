/** Checks of what the live account allows: keys, boundaries of permissions, quotas, and reservations. */
import { parseQuantity } from '@chandler/kube';
import { parseArn } from '../../facts/arn.ts';
import { allows, controllerPolicies, policyContent } from '../../facts/policies.ts';
import { STANDARD_QUOTAS } from '../../inputs/aws/quota-codes.table.ts';
import type { Inputs, Manifest, Resource } from '../../inputs/inputs.ts';
import type { Judgement } from '../../model/finding.ts';
import { find, itemsAt, textAt } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import {
  each,
  fail,
  nodeClasses,
  nodePools,
  objectOf,
  pass,
  requiredValues,
  seen,
  skip,
  warn,
} from '../judgements.ts';
import { listOf, liveResources, type PolicyJson, shown, shownDocument, statementsOf } from '../live.ts';
import { mayLaunchSpot } from './values.ts';

/** What EC2 does with a key for a volume of the caller. */
const KEY_ACTIONS = ['kms:CreateGrant', 'kms:Decrypt', 'kms:GenerateDataKeyWithoutPlaintext'];
const LAUNCH_ACTIONS = ['ec2:RunInstances', 'ec2:CreateFleet', 'ec2:CreateLaunchTemplate', 'iam:PassRole'];
const SPOT_ROLE = 'AWSServiceRoleForEC2Spot';
const CPU_LIMIT = ['spec', 'limits', 'cpu'] as const;

export const LIVE_LIMIT_CHECKS: readonly CheckRow[] = [
  {
    id: 'K-33',
    title: 'The controller may use the keys of volumes',
    inputs: ['nodeClasses', 'cloud'],
    criterion: `Passes if the policy of the key allows the controller ${KEY_ACTIONS.join(', ')}, or leaves it to IAM and the policies of the controller allow it. Warns if a NodePool may launch spot instances and the policy does not name ${SPOT_ROLE}; fails otherwise.`,
    severity: 'high',
    phase: 4,
    fix: 'Allow the role of the controller, and for spot instances the service-linked role, to use the key and to create grants.',
    docs: DOCS.encryption,
    judge: (context) =>
      each(nodeClasses(context.inputs), (own) =>
        itemsAt(own.tree, 'spec', 'blockDeviceMappings').flatMap(
          (_, index) => keyUse(context, own, index) ?? [],
        ),
      ),
  },
  {
    id: 'K-42',
    title: 'No boundary keeps the controller from launching',
    inputs: ['cloud'],
    criterion: `Passes if the role of the controller has no permissions boundary, or one that allows ${LAUNCH_ACTIONS.join(', ')}. Fails if the boundary does not. Service control policies are not read.`,
    severity: 'high',
    phase: 1,
    fix: 'Allow the actions in the permissions boundary, too.',
    docs: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html',
    judge: ({ inputs }) =>
      each(
        liveResources(inputs, 'aws_iam_role').filter(({ owner }) => owner === 'controller'),
        (role) => withinBoundary(inputs, role),
      ),
  },
  {
    id: 'K-70',
    title: 'Open capacity reservations are used',
    inputs: ['nodeClasses', 'cloud'],
    criterion:
      'For open reservations of the account: passes if a class has capacityReservationSelectorTerms, warns if none has: from 1.6 on they are not used without, and cost all the same.',
    severity: 'high',
    phase: 4,
    fix: 'Add capacityReservationSelectorTerms to a class, or end the reservation.',
    docs: DOCS.nodeClasses,
    judge: ({ inputs }) => {
      const open = liveResources(inputs, 'aws_ec2_capacity_reservation').filter(
        ({ values }) => textAt(values, 'instance_match_criteria') === 'open',
      );
      const selecting = nodeClasses(inputs).filter(
        ({ tree }) => find(tree, 'spec', 'capacityReservationSelectorTerms') !== undefined,
      );
      if (open.length === 0) return [];
      const evidence = open.map((each) => shown(each, 'instance_type'));
      return selecting.length === 0
        ? [warn(`${open.map(({ name }) => name).join(', ')} is not used by any class.`, evidence)]
        : [
            pass('A class selects reservations.', [
              ...selecting.map((own) => seen(own, 'spec', 'capacityReservationSelectorTerms')),
              ...evidence,
            ]),
          ];
    },
  },
  {
    id: 'K-71',
    title: 'Quotas of vCPUs hold the limits of NodePools',
    inputs: ['nodePools', 'cloud'],
    criterion:
      'Passes if limits.cpu of each NodePool is within the quota for standard instances of the account, on-demand or spot as the NodePool launches. Warns if the quota is smaller.',
    severity: 'high',
    phase: 4,
    fix: 'Request a higher quota, or lower limits.cpu.',
    docs: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-resource-limits.html',
    judge: ({ inputs }) => each(nodePools(inputs), (pool) => withinQuota(inputs, pool)),
  },
];

// ---------------------------------------------------------------------------------------------------------------

function keyUse({ inputs }: CheckContext, own: Manifest, index: number): Judgement | undefined {
  const path = ['spec', 'blockDeviceMappings', index, 'ebs', 'kmsKeyID'] as const;
  const key = textAt(own.tree, ...path);
  const policy = liveResources(inputs, 'aws_kms_key_policy').find(({ name }) => name === key);
  if (policy === undefined) return undefined;
  const object = objectOf(own);
  const evidence = [seen(own, ...path), shownDocument(policy, 'policy')];
  const statements = statementsOf(textAt(policy.values, 'policy'))?.filter(
    ({ Effect }) => Effect === 'Allow',
  );
  if (statements === undefined)
    return skip('The policy of the key is not known.', ['cloud'], evidence, { object });
  const roles = liveResources(inputs, 'aws_iam_role').filter(({ owner }) => owner === 'controller');
  const arns = roles.flatMap(({ values }) => textAt(values, 'arn') ?? []);
  const account = parseArn(textAt(policy.values, 'arn') ?? '')?.account;
  const missing = KEY_ACTIONS.filter((action) => {
    const own = statements.filter(({ Action }) => listOf(Action).some((each) => isAction(each, action)));
    const isDirect = own.some((each) =>
      principalsOf(each).some((name) => name === '*' || arns.includes(name)),
    );
    const isDelegated = own.some((each) =>
      principalsOf(each).some((name) => name.endsWith(`:${account}:root`) || name === account),
    );
    return !isDirect && !(isDelegated && allows(controllerPolicies(inputs), action) === 'yes');
  });
  if (missing.length > 0 && arns.length === 0)
    return skip('The role of the controller is not known.', ['values'], evidence, { object });
  if (missing.length > 0) return fail(`${missing.join(', ')} is not allowed.`, evidence, { object });
  const pools = nodePools(inputs).filter(mayLaunchSpot);
  const isSpotNamed = statements.some((each) => principalsOf(each).some((name) => name.endsWith(SPOT_ROLE)));
  return pools.length > 0 && !isSpotNamed
    ? warn(
        `NodePool/${pools[0]!.name} may launch spot instances, and the policy does not name ${SPOT_ROLE}.`,
        evidence,
        {
          object,
        },
      )
    : pass('It may.', evidence, { object });
}

function principalsOf({ Principal }: PolicyJson): readonly string[] {
  return typeof Principal === 'string' ? [Principal] : listOf(Principal?.['AWS']);
}

/** `kms:GenerateDataKey*` is `kms:GenerateDataKeyWithoutPlaintext`. */
function isAction(pattern: string, action: string): boolean {
  return pattern === action || (pattern.endsWith('*') && action.startsWith(pattern.slice(0, -1)));
}

function withinBoundary(inputs: Inputs, role: Resource): Judgement | undefined {
  const object = role.name;
  const arn = shown(role, 'permissions_boundary');
  if (arn.value === undefined) return pass('It has no boundary.', [arn], { object });
  const boundary = liveResources(inputs, 'permissions_boundary').find(
    ({ values }) => textAt(values, 'arn') === arn.value,
  );
  if (boundary === undefined) return skip('The boundary is not known.', ['cloud'], [arn], { object });
  const policy = policyContent(boundary);
  const missing = LAUNCH_ACTIONS.filter((action) => allows([policy], action) === 'no');
  const evidence = [arn, shownDocument(boundary, 'policy')];
  return missing.length === 0
    ? pass('The boundary allows it.', evidence, { object })
    : fail(`The boundary does not allow ${missing.join(', ')}.`, evidence, { object });
}

function withinQuota(inputs: Inputs, pool: Manifest): Judgement | undefined {
  const limit = textAt(pool.tree, ...CPU_LIMIT);
  const cpus = limit === undefined ? undefined : cpusOf(limit);
  // Without a limit there is nothing to compare (K-13).
  if (cpus === undefined) return undefined;
  const types = requiredValues(pool, 'karpenter.sh/capacity-type') ?? ['on-demand', 'spot'];
  const codes = [
    ...(types.includes('on-demand') ? [STANDARD_QUOTAS.onDemand] : []),
    ...(mayLaunchSpot(pool) ? [STANDARD_QUOTAS.spot] : []),
  ];
  const quotas = liveResources(inputs, 'aws_servicequotas_service_quota').filter(({ name }) =>
    codes.some((code) => code === name),
  );
  const small = quotas.filter(({ values }) => Number(textAt(values, 'value')) < cpus);
  const object = objectOf(pool);
  if (quotas.length === 0) return undefined;
  const evidence = (own: readonly Resource[]) => [
    seen(pool, ...CPU_LIMIT),
    ...own.map((each) => shown(each, 'value')),
  ];
  return small.length === 0
    ? pass('The quota is larger.', evidence(quotas), { object })
    : warn(
        `The quota "${textAt(small[0]!.values, 'quota_name')}" is ${textAt(small[0]!.values, 'value')} vCPUs.`,
        evidence(small),
        { object },
      );
}

function cpusOf(text: string): number | undefined {
  try {
    return Number(parseQuantity(text).nanos / 1_000_000n) / 1000;
  } catch {
    return undefined;
  }
}
