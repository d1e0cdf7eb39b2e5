/** What the name of a region says. */

/** What a region looks like; undefined when this is one. */
export function regionProblem(text: string): string | undefined {
  return /^[a-z]{2,4}(-[a-z]+)+-\d+$/.test(text) ? undefined : 'a region such as us-west-2';
}

/** `aws`, `aws-cn`, `aws-us-gov` … */
export function partitionOf(region: string): string {
  return rowOf(region).name;
}

/** What names of endpoints of the region end with. */
export function domainOf(region: string, dualstack = false): string {
  return rowOf(region)[dualstack ? 'dualstackDomain' : 'domain'];
}

// ---------------------------------------------------------------------------------------------------------------

interface PartitionRow {
  readonly prefix: string;
  readonly name: string;
  readonly domain: string;
  readonly dualstackDomain: string;
}

const COMMERCIAL: PartitionRow = {
  prefix: '',
  name: 'aws',
  domain: 'amazonaws.com',
  dualstackDomain: 'api.aws',
};

const PARTITIONS: readonly PartitionRow[] = [
  {
    prefix: 'cn-',
    name: 'aws-cn',
    domain: 'amazonaws.com.cn',
    dualstackDomain: 'api.amazonwebservices.com.cn',
  },
  { prefix: 'us-gov-', name: 'aws-us-gov', domain: 'amazonaws.com', dualstackDomain: 'api.aws' },
  { prefix: 'us-iso-', name: 'aws-iso', domain: 'c2s.ic.gov', dualstackDomain: 'api.aws.ic.gov' },
  { prefix: 'us-isob-', name: 'aws-iso-b', domain: 'sc2s.sgov.gov', dualstackDomain: 'api.aws.scloud' },
  {
    prefix: 'eu-isoe-',
    name: 'aws-iso-e',
    domain: 'cloud.adc-e.uk',
    dualstackDomain: 'api.cloud-aws.adc-e.uk',
  },
  { prefix: 'us-isof-', name: 'aws-iso-f', domain: 'csp.hci.ic.gov', dualstackDomain: 'api.aws.hci.ic.gov' },
  { prefix: 'eusc-', name: 'aws-eusc', domain: 'amazonaws.eu', dualstackDomain: 'api.amazonwebservices.eu' },
];

function rowOf(region: string): PartitionRow {
  return PARTITIONS.find(({ prefix }) => region.startsWith(prefix)) ?? COMMERCIAL;
}
