/** What the name of a region says. */

/** What a region looks like; undefined when this is one. */
export function regionProblem(text: string): string | undefined {
  return /^[a-z]{2,4}(-[a-z]+)+-\d+$/.test(text) ? undefined : 'a region such as us-west-2';
}

/** `aws`, `aws-cn`, `aws-us-gov` … */
export function partitionOf(region: string): string {
  return PARTITIONS.find(([prefix]) => region.startsWith(prefix))?.[1] ?? 'aws';
}

// ---------------------------------------------------------------------------------------------------------------

const PARTITIONS = [
  ['cn-', 'aws-cn'],
  ['us-gov-', 'aws-us-gov'],
  ['us-iso-', 'aws-iso'],
  ['us-isob-', 'aws-iso-b'],
  ['eu-isoe-', 'aws-iso-e'],
  ['us-isof-', 'aws-iso-f'],
  ['eusc-', 'aws-eusc'],
] as const;
