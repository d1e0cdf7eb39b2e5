/**
 * Values that the CRDs accept because upstream's CRDs accept them, although they do not do what they seem to say. An object
 * that is stored in a cluster of upstream's can thus be applied again. The controllers that validate an object show these
 * warnings on it; values that can never work are rejected by the schemas.
 */
import { CronError, parseCron } from '@chandler/kube';
import type { AKSNodeClassSpec } from './aks-node-class/aks-node-class.ts';
import type { EC2NodeClassSpec } from './ec2-node-class/ec2-node-class.ts';
import { foreignDomain } from './label-rules.ts';
import type { NodePoolSpec } from './node-pool.ts';

export interface DoubtfulValue {
  /** Such as `spec.disruption.budgets[0].schedule`. */
  readonly field: string;
  /** What the value does, and what to write instead. */
  readonly message: string;
}

export function doubtfulPoolValues(spec: NodePoolSpec): readonly DoubtfulValue[] {
  return [...doubtfulBudgets(spec), ...foreignLabels(spec)];
}

/** Labels that only the nodes of another cloud have. */
function foreignLabels({ template }: NodePoolSpec): readonly DoubtfulValue[] {
  const { group } = template.spec.nodeClassRef;
  const used = [
    ...Object.keys(template.metadata?.labels ?? {}).map((key) => ({
      key,
      field: `spec.template.metadata.labels[${key}]`,
    })),
    ...(template.spec.requirements ?? []).map(({ key }, index) => ({
      key,
      field: `spec.template.spec.requirements[${index}].key`,
    })),
  ];
  return used.flatMap(({ key, field }) => {
    const domain = foreignDomain(key, group);
    if (domain === undefined) return [];
    const message = `${key} is a label of the domain ${domain}, which belongs to another cloud: here it is an ordinary label and says nothing about the instance; remove it`;
    return [{ field, message }];
  });
}

function doubtfulBudgets(spec: NodePoolSpec): readonly DoubtfulValue[] {
  return (spec.disruption?.budgets ?? []).flatMap(({ schedule, reasons }, index) => {
    const field = `spec.disruption.budgets[${index}]`;
    const found: DoubtfulValue[] = [];
    const problem = schedule === undefined ? undefined : scheduleProblem(schedule);
    if (problem !== undefined)
      found.push({
        field: `${field}.schedule`,
        message: `${problem}; until this is corrected, no node of the NodePool is disrupted voluntarily`,
      });
    if (reasons?.length === 0)
      found.push({
        field: `${field}.reasons`,
        message: 'the list is empty, so the budget limits nothing; remove it to limit every reason',
      });
    return found;
  });
}

export function doubtfulAksValues(spec: AKSNodeClassSpec | undefined): readonly DoubtfulValue[] {
  const {
    netIPv4NeighDefaultGcThresh1: first,
    netIPv4NeighDefaultGcThresh2: second,
    netIPv4NeighDefaultGcThresh3: third,
  } = spec?.linuxOSConfig?.sysctls ?? {};
  if (first === undefined || second !== undefined || third === undefined || first <= third) return [];
  return [
    {
      field: 'spec.linuxOSConfig.sysctls.netIPv4NeighDefaultGcThresh1',
      message: `${first} is greater than netIPv4NeighDefaultGcThresh3 (${third}), so the kernel never keeps as many neighbours; make it at most ${third}`,
    },
  ];
}

export function doubtfulEc2Values(spec: EC2NodeClassSpec): readonly DoubtfulValue[] {
  return [
    ...IDENTITIES.flatMap((field) =>
      spec[field]?.startsWith('arn:') === true
        ? [{ field: `spec.${field}`, message: 'is an ARN; IAM expects the name, which is its last part' }]
        : [],
    ),
    ...TERM_LISTS.flatMap(({ list, alone, others }) =>
      ((spec[list] ?? []) as readonly Record<string, unknown>[]).flatMap((term, index) => {
        const beside = others.filter((other) => term[other] !== undefined);
        if (term[alone] === undefined || beside.length === 0) return [];
        const message = `'${alone}' identifies the resource, so ${names(beside)} is ignored; remove one of them`;
        return [{ field: `spec.${list}[${index}]`, message }];
      }),
    ),
    ...spec.amiSelectorTerms.flatMap(({ alias }, index) => {
      const [family, version, ...rest] = (alias ?? '').split('@');
      if (rest.length === 0) return [];
      const message = `"${alias}" has two versions, and no image is looked up; write ${family}@${version}`;
      return [{ field: `spec.amiSelectorTerms[${index}].alias`, message }];
    }),
  ];
}

/** One text for a condition or an event; empty when there is nothing to say. */
export function doubtfulText(found: readonly DoubtfulValue[]): string {
  return found.map(({ field, message }) => `${field}: ${message}`).join('; ');
}

// ---------------------------------------------------------------------------------------------------------------

const IDENTITIES = ['role', 'instanceProfile'] as const;

/** Where the schemas follow upstream's rules, which accept a term with both. */
const TERM_LISTS = [
  { list: 'subnetSelectorTerms', alone: 'id', others: ['tags'] },
  { list: 'securityGroupSelectorTerms', alone: 'id', others: ['tags', 'name'] },
  { list: 'securityGroupSelectorTerms', alone: 'name', others: ['tags'] },
  {
    list: 'capacityReservationSelectorTerms',
    alone: 'id',
    others: ['tags', 'ownerID', 'instanceMatchCriteria'],
  },
  { list: 'amiSelectorTerms', alone: 'id', others: ['ssmParameter'] },
  { list: 'amiSelectorTerms', alone: 'alias', others: ['ssmParameter'] },
] as const;

/** Nothing when it is a schedule. */
function scheduleProblem(schedule: string): string | undefined {
  try {
    parseCron(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof CronError) return error.message;
    throw error;
  }
}

function names(fields: readonly string[]): string {
  return fields.map((field) => `'${field}'`).join(' and ');
}
