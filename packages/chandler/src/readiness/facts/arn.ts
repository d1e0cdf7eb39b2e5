/** What ARNs and addresses of AWS say about partition, region and account. */

export interface Arn {
  readonly partition: string;
  readonly service: string;
  /** Empty for IAM. */
  readonly region: string;
  readonly account: string;
  /** `role/path/name`, `key/…`. */
  readonly resource: string;
}

export function parseArn(text: string): Arn | undefined {
  const found = /^arn:(aws[\w-]*):([\w-]+):([\w-]*):(\d{12})?:(.+)$/.exec(text);
  if (found === null) return undefined;
  const [, partition = '', service = '', region = '', account = '', resource = ''] = found;
  return { partition, service, region, account, resource };
}

/** The name of a role, of its ARN or as it is: `role/path/name` is `name`. */
export function roleName(text: string): string {
  const arn = parseArn(text);
  return (arn === undefined ? text : arn.resource).split('/').at(-1) ?? text;
}

/** `us-east-1` of the endpoint of a cluster (of an IPv6 one, too), of a queue or of a registry. */
export function regionOfHost(host: string): string | undefined {
  return REGION_IN_HOST.exec(host)?.[1];
}

/** The host of an address; undefined for a text that is none. */
export function hostOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url === undefined || url.host === '' ? undefined : url.hostname;
}

/** Account ids that examples use. */
export const EXAMPLE_ACCOUNTS: ReadonlySet<string> = new Set([
  '123456789012',
  '000000000000',
  '111122223333',
]);

// ---------------------------------------------------------------------------------------------------------------

const REGION_IN_HOST =
  /(?:^|\.)([a-z]{2}(?:-[a-z]+)+-\d)\.(?:(?:eks\.)?amazonaws\.com(?:\.cn)?|api\.(?:aws|amazonwebservices\.com\.cn))$/;
