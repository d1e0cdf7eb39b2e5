/** KMS: what keys are, and who may use them. Nothing is encrypted. */
import type { AwsContext } from '../context.ts';
import type { KeyRecord } from '../store/records.ts';
import type { Operation } from '../wire/aws-request.ts';
import { awsError } from '../wire/errors.ts';

export function keyOperations({ account, settings }: AwsContext): readonly Operation[] {
  const { partition, region, accountId } = settings;
  const idOf = (value: unknown) => String(value).split('/').at(-1)!;
  const on = (action: string, handle: (key: KeyRecord) => unknown): Operation => ({
    service: 'kms',
    action,
    rights: ({ params }) => [
      {
        action: `kms:${action}`,
        resource: `arn:${partition}:kms:${region}:${accountId}:key/${idOf(params['KeyId'])}`,
      },
    ],
    handle({ params }) {
      const key = account.keys.get(idOf(params['KeyId']));
      if (key === undefined)
        throw awsError('NotFoundException', `Key '${String(params['KeyId'])}' does not exist`);
      return handle(key);
    },
  });
  return [
    on('DescribeKey', ({ id, arn, state }) => ({
      KeyMetadata: {
        AWSAccountId: accountId,
        KeyId: id,
        Arn: arn,
        Enabled: state === 'Enabled',
        KeyState: state,
        KeyUsage: 'ENCRYPT_DECRYPT',
        KeySpec: 'SYMMETRIC_DEFAULT',
        KeyManager: 'CUSTOMER',
        MultiRegion: false,
      },
    })),
    on('GetKeyPolicy', ({ policy }) => ({ PolicyName: 'default', Policy: JSON.stringify(policy) })),
  ];
}

/** A key that the account itself may use, as KMS makes it. */
export function addKey({ account, settings }: AwsContext, id: string): KeyRecord {
  const { partition, region, accountId } = settings;
  const key: KeyRecord = {
    id,
    arn: `arn:${partition}:kms:${region}:${accountId}:key/${id}`,
    state: 'Enabled',
    policy: {
      Version: '2012-10-17',
      Statement: [
        {
          Sid: 'Enable IAM User Permissions',
          Effect: 'Allow',
          Principal: { AWS: `arn:${partition}:iam::${accountId}:root` },
          Action: 'kms:*',
          Resource: '*',
        },
      ],
    },
  };
  account.keys.set(id, key);
  return key;
}
