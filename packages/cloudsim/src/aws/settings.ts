/** Region, account and cluster of a simulated AWS. */

export interface Zone {
  /** `us-west-2a`. */
  readonly name: string;
  /** `usw2-az2`. */
  readonly id: string;
}

export interface AwsSettings {
  /** `us-west-2`. */
  readonly region: string;
  /** `aws`, `aws-cn`, `aws-us-gov`. */
  readonly partition: string;
  /** Twelve digits. */
  readonly accountId: string;
  readonly clusterName: string;
  readonly zones: readonly Zone[];
  /** Of the cluster: `1.36`. */
  readonly kubernetesMinor: string;
  /** Name of the role of the nodes. */
  readonly nodeRoleName: string;
}

/** `arn:aws:ec2:us-west-2:111122223333:instance/i-…`; images and snapshots have no account. */
export function ec2Arn({ partition, region, accountId }: AwsSettings, type: string, id: string): string {
  const owner = type === 'image' || type === 'snapshot' ? '' : accountId;
  return `arn:${partition}:ec2:${region}:${owner}:${type}/${id}`;
}

export function queueArn({ partition, region, accountId }: AwsSettings, name: string): string {
  return `arn:${partition}:sqs:${region}:${accountId}:${name}`;
}

/** Of an issuer that the account trusts: `https://oidc.eks.us-west-2.amazonaws.com/id/…`. */
export function oidcProviderArn({ partition, accountId }: AwsSettings, issuer: string): string {
  return `arn:${partition}:iam::${accountId}:oidc-provider/${issuer.replace(/^https:\/\//, '')}`;
}
